import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { currentSession } from "../../stores/session";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { RegisterScreen } from "./RegisterScreen";

const user = userEvent.setup();
const NEW_USER = { appuserid: 9, clientid: 9, afid: "a", name: "Nora New", email: "nora@fresh.com", isverified: 0 };

const GOOD = {
  "POST validatedomain": { result: { valid: 1 } },
  "POST checkemailexists": { result: { exists: 0, available: 1 } },
  "POST leads/_table/client": { resource: [{ clientdata: { user: NEW_USER, session_token: "new-token" } }] },
};

async function fill({ password = "Fresh1234", email = "Nora@Fresh.com", terms = true } = {}) {
  await user.type(screen.getByLabelText("First Name"), " Nora ");
  await user.type(screen.getByLabelText("Last Name"), "New");
  await user.type(screen.getByLabelText("Business Email"), email);
  await user.type(screen.getByLabelText("Password"), password);
  if (terms) await user.click(screen.getByRole("checkbox"));
  await submit();
}

const submit = () => user.click(screen.getByRole("button", { name: "Sign up" }));

test("missing or blank values are reported next to their fields", async () => {
  const sent = serve({});
  draw(<RegisterScreen />, { me: null });
  await user.type(screen.getByLabelText("First Name"), "   ");
  await user.type(screen.getByLabelText("Business Email"), "nora@");
  await submit();
  for (const text of ["Please enter your first name", "Please enter your last name", "Invalid email", "Please enter your password"]) {
    expect(screen.getByText(text)).toBeVisible();
  }
  expect(sent).toEqual([]);
});

test.each([
  ["short", "Password length must be atleast 8 characters"],
  ["alllowercase1", "Password needs a lowercase letter, an uppercase letter and a number, and no spaces"],
  ["With Blank 1", "Password needs a lowercase letter, an uppercase letter and a number, and no spaces"],
])("the password %j is reported next to its field", async (password, text) => {
  const sent = serve(GOOD);
  draw(<RegisterScreen />, { me: null });
  await fill({ password });
  expect(await screen.findByText(text)).toBeVisible();
  expect(sent.map((one) => one.path)).toEqual(["validatedomain"]);
});

test("the terms must be accepted", async () => {
  serve(GOOD);
  draw(<RegisterScreen />, { me: null });
  await fill({ terms: false });
  expect(await screen.findByText("Please accept the terms and conditions")).toBeVisible();
});

test("a free email domain and a taken email are reported, and the form keeps its values", async () => {
  let valid = 0;
  serve({ ...GOOD, "POST validatedomain": () => ({ result: { valid } }), "POST checkemailexists": { result: { exists: 1, available: 0 } } });
  draw(<RegisterScreen />, { me: null });
  await fill();
  expect(await screen.findByText("Please use your business email to register")).toBeVisible();
  valid = 1;
  await submit();
  expect(await screen.findByText("This email already exist , please try with another")).toBeVisible();
  expect(screen.getByLabelText("Last Name")).toHaveValue("New");
});

test("registers with a trimmed name and redirects to the second step", async () => {
  const sent = serve(GOOD);
  const { where } = draw(<RegisterScreen />, { me: null });
  await fill();
  await waitFor(() => expect(where()).toBe("/tellusmore"));
  expect(sent.at(-1)!.body.resource).toEqual([
    { email: "nora@fresh.com", name: "Nora New", password: "Fresh1234", type: "register", terms: true },
  ]);
  expect(currentSession()?.sessionToken).toBe("new-token");
});

test("a failed registration shows an error and clears the form", async () => {
  serve({ ...GOOD, "POST leads/_table/client": new ErrorResponse(500, { code: 500, message: "x" }) });
  draw(<RegisterScreen />, { me: null });
  await fill();
  expect(await screen.findByText("Something went wrong!")).toBeVisible();
  expect(screen.getByLabelText("First Name")).toHaveValue("");
});
