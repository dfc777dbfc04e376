import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { ResetPasswordScreen } from "./ResetPasswordScreen";

const user = userEvent.setup();
const AT = "/resetpassword?email=nora%40fresh.com&code=abc";

async function save(password: string, again = password) {
  await user.clear(screen.getByLabelText("Password"));
  await user.type(screen.getByLabelText("Password"), password);
  await user.clear(screen.getByLabelText("Confirm Password"));
  await user.type(screen.getByLabelText("Confirm Password"), again);
  await user.click(screen.getByRole("button", { name: "Reset password" }));
}

test("shows the email, and reports short or differing passwords next to their fields", async () => {
  const sent = serve({});
  draw(<ResetPasswordScreen />, { at: AT, me: null });
  expect(screen.getByLabelText("Email")).toHaveValue("nora@fresh.com");
  expect(screen.getByLabelText("Email")).toHaveAttribute("readonly");
  expect(screen.getByLabelText("Code")).toHaveValue("abc");
  await save("short");
  expect(screen.getByText("Please enter password of 8 or more letter")).toBeVisible();
  await save("Fresh1234", "Fresh12345");
  expect(screen.getByText("Both password doesn't match")).toBeVisible();
  expect(sent).toEqual([]);
});

test("saves the password and redirects to the sign-in page", async () => {
  const sent = serve({ "POST user/password": { success: true } });
  const { where } = draw(<ResetPasswordScreen />, { at: AT, me: null });
  await save("Fresh1234");
  await waitFor(() => expect(where()).toBe("/login"));
  expect(sent[0]!.body).toEqual({ email: "nora@fresh.com", code: "abc", new_password: "Fresh1234" });
});

const newLink = () => screen.queryByRole("button", { name: "Get a new link" });

test("an expired link shows a button for a new one", async () => {
  serve({ "POST user/password": new ErrorResponse(404, { code: 404, message: "x", context: { scope: "resource" } }) });
  draw(<ResetPasswordScreen />, { at: AT, me: null });
  expect(newLink()).toBeNull();
  await save("Fresh1234");
  await waitFor(() => expect(newLink()).toHaveAttribute("href", "/forgotpassword"));
});

test.each(["/resetpassword", "/resetpassword?email=a%40b.co", "/resetpassword?code=abc"])("the incomplete link %s shows a button for a new one", (at) => {
  serve({});
  draw(<ResetPasswordScreen />, { at, me: null });
  expect(newLink()).toHaveAttribute("href", "/forgotpassword");
});

test.each([
  [404, "The Code for this link has expired,Please try with latest"],
  [422, "Something went wrong!"],
])("an error with status %s shows %j", async (status, text) => {
  serve({ "POST user/password": new ErrorResponse(status, { code: status, message: "x", context: { scope: "resource" } }) });
  draw(<ResetPasswordScreen />, { at: AT, me: null });
  await save("Fresh1234");
  expect(await screen.findByRole("alert")).toHaveTextContent(text);
});

test("without a code nothing is sent", async () => {
  const sent = serve({});
  draw(<ResetPasswordScreen />, { at: "/resetpassword?email=a%40b.co", me: null });
  await save("Fresh1234");
  expect(await screen.findByRole("alert")).toHaveTextContent("Please fill all required fields");
  expect(sent).toEqual([]);
});
