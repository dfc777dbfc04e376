import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { currentSession } from "../../stores/session";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { PasswordScreen } from "./PasswordScreen";

const user = userEvent.setup();

async function change(old: string, fresh: string, again: string) {
  for (const [label, text] of [["Old Password", old], ["New Password", fresh], ["Confirm Password", again]] as const) {
    await user.clear(screen.getByLabelText(label));
    if (text) await user.type(screen.getByLabelText(label), text);
  }
  await user.click(screen.getByRole("button", { name: "Change Password" }));
}

test("all fields are required, and the new password must be long and match its repetition", async () => {
  const sent = serve({});
  draw(<PasswordScreen />);
  await change("", "", "");
  expect(screen.getAllByText("Please fill all required fields")).toHaveLength(3);
  await change("Old12345", "short", "short");
  expect(screen.getByText("Password length should be greater than 8")).toBeVisible();
  await change("Old12345", "Fresh1234", "Fresh12345");
  expect(screen.getByText("Password didnot match")).toBeVisible();
  expect(sent).toEqual([]);
});

test("the new password has at most 100 characters", async () => {
  draw(<PasswordScreen />);
  const long = `Aa1${"x".repeat(98)}`;
  await user.click(screen.getByLabelText("New Password"));
  await user.paste(long);
  await user.click(screen.getByRole("button", { name: "Change Password" }));
  expect(screen.getByLabelText("New Password")).toHaveAccessibleDescription("Password must be at most 100 characters");
});

test("a user without a password gets a reset link instead of the old password field", async () => {
  const sent = serve({ "POST user/password": { success: true } });
  draw(<PasswordScreen />, { me: accountAnswer({ haspassword: 0 }) });
  expect(screen.queryByLabelText("Old Password")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Send reset link" }));
  expect(await screen.findByText(/we have sent a link to it/)).toBeVisible();
  expect(sent.map(({ path, body }) => [path, body])).toEqual([["user/password", { email: "owner@acme-demo.com" }]]);
});

test("a server error appears next to its field, and success continues with the new token", async () => {
  const wrong = { code: 422, message: "The old password is wrong", context: { scope: "resource", fields: { old_password: "The old password is wrong" } } };
  let answer: unknown = new ErrorResponse(422, wrong);
  serve({ "POST user/password": () => answer, "PUT user/session": accountAnswer() });
  draw(<PasswordScreen />);
  await change("Old12345", "Fresh1234", "Fresh1234");
  await waitFor(() => expect(screen.getByLabelText("Old Password")).toHaveAccessibleDescription("The old password is wrong"));
  answer = { success: true, session_token: "next-token" };
  await change("Old54321", "Fresh1234", "Fresh1234");
  expect(await screen.findByText("Password changed successfully!")).toBeVisible();
  expect(currentSession()?.sessionToken).toBe("next-token");
});
