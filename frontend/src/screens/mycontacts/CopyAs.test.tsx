import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { contactAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { MyContactsScreen } from "./MyContactsScreen";

const user = userEvent.setup();

test("the request for the shown contacts can be copied as curl", async () => {
  serve({
    "GET leads/_table/usercontact": { resource: [contactAnswer(1)], meta: { count: 1 } },
    "GET leads/_table/contactmeta": { resource: [] },
    "GET leads/_table/contactfeedback": { resource: [] },
    "GET leads/_table/appuser": { resource: [] },
  });
  draw(<MyContactsScreen />, { at: "/dashboard/main/mycontacts?phone=1" });
  await user.click(await screen.findByRole("button", { name: "Copy as" }));
  await user.click(await screen.findByRole("menuitem", { name: "curl" }));
  expect(await screen.findByText("The request was copied for curl.")).toBeVisible();
  const copied = await navigator.clipboard.readText();
  expect(copied).toContain("/_table/usercontact' \\\n  -H \"X-API-Key: $API_KEY\" \\\n  -H \"X-Session-Token: $SESSION_TOKEN\"");
  expect(copied).toContain("--data-urlencode 'filter=(phonecost=1)'");
});
