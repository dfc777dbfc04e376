import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { RemovalScreen } from "./RemovalScreen";

const user = userEvent.setup();
const send = () => user.click(screen.getByRole("button", { name: "Send confirmation link" }));

test("a missing email is not sent, and a rejected profile URL is reported next to its field", async () => {
  const sent = serve({ "POST removalrequest": new ErrorResponse(422, { code: 422, message: "Please input correct url", context: { fields: { linkedinurl: "Please input correct url" } } }) });
  draw(<RemovalScreen />, { me: null });
  await send();
  expect(screen.getByText("Please enter your email address")).toBeVisible();
  expect(sent).toEqual([]);
  await user.type(screen.getByLabelText("Email"), "jane@acme.example");
  await user.type(screen.getByLabelText("Profile address (optional)"), "nowhere.example");
  await send();
  expect(await screen.findByLabelText("Profile address (optional)")).toHaveAccessibleDescription(/Please input correct url/);
});

test("a request without an account shows the email that the link was sent to", async () => {
  const sent = serve({ "POST removalrequest": { success: 1 } });
  draw(<RemovalScreen />, { me: null });
  await user.type(screen.getByLabelText("Email"), " Jane@acme.example ");
  await send();
  expect(await screen.findByText(/We have sent a link to jane@acme.example/)).toBeVisible();
  expect(sent.map(({ body }) => body)).toEqual([{ email: "jane@acme.example", linkedinurl: "" }]);
});
