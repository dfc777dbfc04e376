import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { setConfig } from "../../api/config";
import { currentSession } from "../../stores/session";
import { CONFIG, accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { LoginScreen } from "./LoginScreen";

const user = userEvent.setup();

async function signIn(email: string, password: string) {
  if (email) await user.type(screen.getByLabelText("Email"), email);
  if (password) await user.type(screen.getByLabelText("Password"), password);
  await user.click(screen.getByRole("button", { name: "Login" }));
}

test("missing values are reported next to their fields, and nothing is sent", async () => {
  const sent = serve({});
  draw(<LoginScreen />, { at: "/login", me: null });
  await signIn("", "");
  expect(screen.getByText("Please enter your email address")).toBeVisible();
  expect(screen.getByText("Please enter your password")).toBeVisible();
  await signIn("owner@", "");
  expect(screen.getByText("Invalid email")).toBeVisible();
  await waitFor(() => expect(screen.getByLabelText("Email")).toHaveFocus());
  expect(sent).toEqual([]);
});

test("sends the email in lower case and redirects to the dashboard", async () => {
  const sent = serve({ "POST user/session": accountAnswer() });
  const { where } = draw(<LoginScreen />, { at: "/login", me: null });
  await signIn("Owner@Acme-Demo.com", "Demo1234");
  await waitFor(() => expect(where()).toBe("/dashboard/main/dashboardmain"));
  expect(sent[0]!.body).toEqual({ email: "owner@acme-demo.com", password: "Demo1234" });
  expect(currentSession()).toMatchObject({ sessionToken: "token", emailid: "owner@acme-demo.com" });
});

test("redirects to the requested page, but never to another site", async () => {
  for (const [returnTo, led] of [
    ["/dashboard/settings/myaccount?code=7", "/dashboard/settings/myaccount?code=7"],
    ["//evil.example/dashboard/", "/dashboard/main/dashboardmain"],
  ] as const) {
    serve({ "POST user/session": accountAnswer() });
    const { where, unmount } = draw(<LoginScreen />, { at: "/login", state: { returnTo }, me: null });
    await signIn("owner@acme-demo.com", "Demo1234");
    await waitFor(() => expect(where()).toBe(led));
    unmount();
  }
});

test("a temporary password redirects to the password change instead of the requested page", async () => {
  serve({ "POST user/session": accountAnswer({ mustchangepassword: 1 }) });
  const { where } = draw(<LoginScreen />, { at: "/login", state: { returnTo: "/dashboard/main/search" }, me: null });
  await signIn("owner@acme-demo.com", "Demo1234");
  await waitFor(() => expect(where()).toBe("/dashboard/settings/password"));
});

test.each([
  [401, 401, "You have entered an invalid email or password"],
  [403, 800, "Your account is temporarily disabled"],
  [403, 801, "You have been removed from the platform by the admin"],
  [403, 803, "Please Accept your invitation and Sign in"],
])("status %s with code %s shows %j", async (status, code, text) => {
  serve({ "POST user/session": new ErrorResponse(status, { code, message: "other words", context: { scope: "account" } }) });
  draw(<LoginScreen />, { at: "/login", me: null });
  await signIn("owner@acme-demo.com", "Demo1234");
  expect(await screen.findByRole("alert")).toHaveTextContent(text);
  expect(screen.getAllByText(text), "said once").toHaveLength(1);
  expect(screen.getByLabelText("Email")).toHaveValue("owner@acme-demo.com");
});

test("an unverified user is redirected to /verifyemail and stored for it", async () => {
  const context = { appuserid: 7, name: "New One", email: "new@acme.com", checktoken: "c", scope: "account" };
  serve({ "POST user/session": new ErrorResponse(403, { code: 802, message: "x", context }) });
  const { where } = draw(<LoginScreen />, { at: "/login", me: null });
  await signIn("new@acme.com", "Demo1234");
  await waitFor(() => expect(where()).toBe("/verifyemail"));
  expect(JSON.parse(sessionStorage.getItem("unverified")!).state.person).toEqual({ appuserid: 7, name: "New One", email: "new@acme.com", checktoken: "c" });
});

test("the error of a provider's sign-in stays above the form until the next attempt", async () => {
  vi.spyOn(window, "open").mockReturnValue(null);
  setConfig({ ...CONFIG, googleenabled: true, linkedinenabled: true });
  serve({ "POST user/session": new ErrorResponse(401, { code: 401, message: "other words" }) });
  draw(<LoginScreen />, { at: "/login", me: null });
  await user.click(screen.getByRole("button", { name: "Continue with Google" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("The browser blocked the sign-in window.");
  await signIn("owner@acme-demo.com", "wrong");
  await waitFor(() => expect(screen.getByRole("alert")).toHaveTextContent("You have entered an invalid email or password"));
  await user.click(screen.getByRole("button", { name: "Continue with LinkedIn" }));
  await waitFor(() => expect(screen.getByRole("alert")).toHaveTextContent("The browser blocked the sign-in window."));
});

test("one-click sign-in as owner or member is available only in the demo", async () => {
  const sent = serve({ "POST user/session": accountAnswer({ role: "member" }) });
  const { unmount } = draw(<LoginScreen />, { at: "/login", me: null });
  expect(screen.queryByRole("button", { name: "Look around as owner" })).toBeNull();
  unmount();
  setConfig({ ...CONFIG, demo: true });
  const { where } = draw(<LoginScreen />, { at: "/login", me: null });
  expect(screen.getByRole("button", { name: "Look around as owner" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "As member" }));
  await waitFor(() => expect(where()).toBe("/dashboard/main/dashboardmain"));
  expect(sent[0]!.body).toMatchObject({ email: "member@acme-demo.com" });
  setConfig(CONFIG);
});

const SECOND_STEP = new ErrorResponse(403, { code: 804, message: "x", context: { mfatoken: "m", reason: "mfa_required" } });

test("with two-step sign-in, the password is followed by a code, and a wrong one can be corrected", async () => {
  let answer: unknown = SECOND_STEP;
  const sent = serve({ "POST user/session": () => answer });
  const { where } = draw(<LoginScreen />, { at: "/login", state: { returnTo: "/dashboard/main/search" }, me: null });
  await signIn("owner@acme-demo.com", "Demo1234");
  const code = await screen.findByLabelText("Code");
  await waitFor(() => expect(code).toHaveFocus());
  await user.click(screen.getByRole("button", { name: "Continue" }));
  expect(code).toHaveAccessibleDescription("Please enter the code");
  answer = new ErrorResponse(401, { code: 401, message: "This code is not correct", context: { reason: "mfa_code_wrong" } });
  await user.type(code, "123456{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("This code is not correct");
  answer = accountAnswer();
  await user.type(code, "{Backspace}7{Enter}");
  await waitFor(() => expect(where()).toBe("/dashboard/main/search"));
  expect(sent.at(-1)!.body).toEqual({ mfatoken: "m", code: "123457" });
});

test("a second step that took too long leads back to the password, with the reason", async () => {
  let answer: unknown = SECOND_STEP;
  serve({ "POST user/session": () => answer });
  draw(<LoginScreen />, { at: "/login", me: null });
  await signIn("owner@acme-demo.com", "Demo1234");
  answer = new ErrorResponse(401, { code: 401, message: "The sign-in took too long. Please start again", context: { reason: "mfa_expired" } });
  await user.click(await screen.findByRole("button", { name: "Use a recovery code" }));
  await user.type(screen.getByLabelText("Recovery code"), "abcde-fghij{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("The sign-in took too long. Please start again");
  expect(screen.getByLabelText("Password")).toBeVisible();
});
