import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { currentSession } from "../../stores/session";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { PasswordScreen } from "./PasswordScreen";

const user = userEvent.setup();
const NONE = { "GET user/identities": { resource: [] }, "GET leads/_table/usersession": { resource: [] } };
const GOOGLE = { identityid: 7, provider: "google", email: "ada@gmail.com", createdon: "2026-11-05T09:00:00Z" };

async function change(old: string, fresh: string, again: string) {
  for (const [label, text] of [["Old Password", old], ["New Password", fresh], ["Confirm Password", again]] as const) {
    await user.clear(screen.getByLabelText(label));
    if (text) await user.type(screen.getByLabelText(label), text);
  }
  await user.click(screen.getByRole("button", { name: "Change Password" }));
}

test("all fields are required, and the new password must be long and match its repetition", async () => {
  const sent = serve(NONE);
  draw(<PasswordScreen />);
  await change("", "", "");
  expect(screen.getAllByText("Please fill all required fields")).toHaveLength(3);
  await change("Old12345", "short", "short");
  expect(screen.getByText("Password length should be greater than 8")).toBeVisible();
  await change("Old12345", "Fresh1234", "Fresh12345");
  expect(screen.getByText("Password didnot match")).toBeVisible();
  expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("the new password has at most 100 characters", async () => {
  serve(NONE);
  draw(<PasswordScreen />);
  const long = `Aa1${"x".repeat(98)}`;
  await user.click(screen.getByLabelText("New Password"));
  await user.paste(long);
  await user.click(screen.getByRole("button", { name: "Change Password" }));
  expect(screen.getByLabelText("New Password")).toHaveAccessibleDescription("Password must be at most 100 characters");
});

test("a user without a password gets a reset link instead of the old password field", async () => {
  const sent = serve({ ...NONE, "POST user/password": { success: true } });
  draw(<PasswordScreen />, { me: accountAnswer({ haspassword: 0 }) });
  expect(screen.queryByLabelText("Old Password")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Send reset link" }));
  expect(await screen.findByText(/we have sent a link to it/)).toBeVisible();
  expect(sent.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body])).toEqual([["user/password", { email: "owner@acme-demo.com" }]]);
});

test("a server error appears next to its field, and success continues with the new token", async () => {
  const wrong = { code: 422, message: "The old password is wrong", context: { scope: "resource", fields: { old_password: "The old password is wrong" } } };
  let answer: unknown = new ErrorResponse(422, wrong);
  serve({ ...NONE, "POST user/password": () => answer, "PUT user/session": accountAnswer() });
  draw(<PasswordScreen />);
  await change("Old12345", "Fresh1234", "Fresh1234");
  await waitFor(() => expect(screen.getByLabelText("Old Password")).toHaveAccessibleDescription("The old password is wrong"));
  answer = { success: true, session_token: "next-token" };
  await change("Old54321", "Fresh1234", "Fresh1234");
  expect(await screen.findByText("Password changed successfully!")).toBeVisible();
  expect(currentSession()?.sessionToken).toBe("next-token");
});

test("the only linked sign-in of a user without a password stays", async () => {
  serve({ "GET user/identities": { resource: [GOOGLE] } });
  draw(<PasswordScreen />, { me: accountAnswer({ haspassword: 0 }) });
  expect(await screen.findByRole("button", { name: "Remove Google ada@gmail.com" })).toBeDisabled();
  expect(screen.getByText(/Set a password first/)).toBeVisible();
});

test("a linked sign-in is removed with the password", async () => {
  let listed = [GOOGLE];
  const sent = serve({ "GET user/identities": () => ({ resource: listed }), "DELETE user/identities": { success: 1 } });
  draw(<PasswordScreen />);
  await user.click(await screen.findByRole("button", { name: "Remove Google ada@gmail.com" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(dialog.getByLabelText("Password"), "Demo1234");
  listed = [];
  await user.click(dialog.getByRole("button", { name: "Remove" }));
  expect(await screen.findByText("Sign-in removed.")).toBeVisible();
  expect(sent.find(({ method }) => method === "DELETE")?.body).toEqual({ identityid: 7, password: "Demo1234" });
});

test("with two-step sign-in, a change of the password asks for a code", async () => {
  const sent = serve({ ...NONE, "POST user/password": { success: true, session_token: "next-token" }, "PUT user/session": accountAnswer({ hasmfa: 1 }) });
  draw(<PasswordScreen />, { me: accountAnswer({ hasmfa: 1 }) });
  await change("Old12345", "Fresh1234", "Fresh1234");
  expect(screen.getByLabelText("Code")).toHaveAttribute("aria-invalid", "true");
  await user.type(screen.getByLabelText("Code"), "123456");
  await change("Old12345", "Fresh1234", "Fresh1234");
  expect(await screen.findByText("Password changed successfully!")).toBeVisible();
  expect(sent.find(({ path }) => path === "user/password")?.body).toMatchObject({ code: "123456" });
});
