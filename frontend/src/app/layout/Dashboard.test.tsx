import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Profiler } from "react";
import { expect, test, vi } from "vitest";
import { account } from "../../api/account";
import { call } from "../../api/client";
import { currentSession } from "../../stores/session";
import { unverifiedLeft, unverifiedMet } from "../../stores/unverified";
import { setConfig } from "../../api/config";
import { CONFIG, accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { Dashboard } from "./Dashboard";

const user = userEvent.setup();
const AT = "/dashboard";
const failure = (status: number, context: object, code = status) => new ErrorResponse(status, { code, message: "x", context });

test("redirects to the sign-in page without a session", async () => {
  serve({});
  const { where } = draw(<Dashboard />, { at: AT, me: null });
  await waitFor(() => expect(where()).toBe("/login"));
});

test("the requested URL is passed to the sign-in page without a session token", async () => {
  serve({});
  const at = `${AT}/settings/myaccount?newemail=a%40b.example&code=7`;
  const { where, state } = draw(<Dashboard />, { at, me: null });
  await waitFor(() => expect(where()).toBe("/login"));
  expect(state()).toEqual({ returnTo: at });
});

test("an expired session keeps the return URL, a disabled or deleted account does not", async () => {
  for (const [status, returnTo] of [[401, AT], [403, undefined], [404, undefined]] as const) {
    serve({ "PUT user/session": failure(status, { scope: "account" }) });
    const { where, state, queries, unmount } = draw(<Dashboard />, { at: AT });
    await act(() => queries.refetchQueries({ queryKey: account.queryKey }));
    await waitFor(() => expect(where()).toBe("/login"));
    expect((state() as { returnTo?: string } | null)?.returnTo).toBe(returnTo);
    unmount();
  }
});

test("a temporary password redirects every page to the password change", async () => {
  const me = accountAnswer({ role: "member", mustchangepassword: 1 });
  serve({ "PUT user/session": me });
  const { where } = draw(<Dashboard />, { at: `${AT}/main/search`, me });
  await waitFor(() => expect(where()).toBe("/dashboard/settings/password"));
});

test("an account that became unverified is signed out with a message", async () => {
  serve({ "PUT user/session": accountAnswer({ isverified: 0 }) });
  const { where, state, queries } = draw(<Dashboard />, { at: AT });
  await act(() => queries.refetchQueries({ queryKey: account.queryKey }));
  await waitFor(() => expect(where()).toBe("/login"));
  expect(state()).toBeNull();
  expect(screen.getByRole("alert")).toHaveTextContent("Your email is not verified.");
  expect(currentSession()).toBeNull();
  expect(JSON.parse(localStorage.getItem("session") ?? "null")?.state.session ?? null).toBeNull();
});

test("a new unverified account is redirected to email verification and keeps its session", async () => {
  const me = accountAnswer({ isverified: 0 });
  serve({ "PUT user/session": me });
  act(() => unverifiedMet(me));
  const { where } = draw(<Dashboard />, { at: AT, me });
  await waitFor(() => expect(where()).toBe("/verifyemail"));
  expect(currentSession()).not.toBeNull();
  act(unverifiedLeft);
});

test("a 403 for a list reloads the account and signs out an unverified user", async () => {
  serve({ "PUT user/session": accountAnswer({ isverified: 0 }), "GET leads/_table/usercontact": failure(403, { scope: "resource" }) });
  const { where, queries } = draw(<Dashboard />, { at: AT });
  await act(() => queries.prefetchQuery({ queryKey: ["usercontact"], queryFn: () => call("GET", "leads/_table/usercontact") }));
  await waitFor(() => expect(where()).toBe("/login"));
  expect(screen.getByRole("alert")).toHaveTextContent("Your email is not verified.");
});

test.each([
  [401, 401, "Your account access session is expired"],
  [403, 800, "Your account is temporarily disabled"],
  [404, 404, "You have been deleted by the admin"],
])("a %s with account scope ends the session and shows the reason", async (status, code, text) => {
  serve({ "PUT user/session": failure(status, { scope: "account" }, code) });
  const { where, queries } = draw(<Dashboard />, { at: AT });
  await act(() => queries.refetchQueries({ queryKey: account.queryKey }));
  await waitFor(() => expect(where()).toBe("/login"));
  expect(screen.getByRole("alert")).toHaveTextContent(text);
  expect(currentSession()).toBeNull();
});

test("an error with resource scope does not end the session", async () => {
  serve({ "PUT user/session": failure(404, { scope: "resource" }) });
  const { where, queries } = draw(<Dashboard />, { at: AT });
  await act(() => queries.refetchQueries({ queryKey: account.queryKey }));
  expect(where()).toBe(AT);
  expect(currentSession()).not.toBeNull();
});

test("an unchanged account does not cause a render", async () => {
  let seconds = 0;
  serve({ "PUT user/session": () => ({ ...accountAnswer(), server_time: `2026-01-10T09:00:${(seconds += 10)}Z` }) });
  const drawn = vi.fn();
  const { queries } = draw(<Profiler id="frame" onRender={drawn}><Dashboard /></Profiler>, { at: AT });
  const refetched = () => act(() => queries.refetchQueries({ queryKey: account.queryKey }));
  await refetched();
  const before = drawn.mock.calls.length;
  await refetched();
  expect(drawn.mock.calls.length).toBe(before);
});

test("signing out in another tab signs out here", async () => {
  serve({ "PUT user/session": accountAnswer() });
  const { where } = draw(<Dashboard />, { at: AT });
  const { followOtherTabs } = await import("../../stores/session");
  const stop = followOtherTabs();
  act(() => void window.dispatchEvent(new StorageEvent("storage", { key: null })));
  await waitFor(() => expect(where()).toBe("/login"));
  stop();
});

test("menu entries marked as coming soon are not links", () => {
  setConfig({ ...CONFIG, comingsoon: ["peoplesearch", "companysearch"] });
  serve({ "PUT user/session": accountAnswer() });
  draw(<Dashboard />, { at: AT });
  const menu = within(screen.getAllByRole("navigation", { name: "Main menu" })[0]!);
  expect(menu.getAllByRole("link").map((link) => link.textContent)).toEqual(["Dashboard", "Search", "My Contacts"]);
  const later = menu.getAllByRole("listitem").slice(3);
  expect(later.map((entry) => entry.textContent)).toEqual(["People Search Coming Soon", "Company Search Coming Soon"]);
  setConfig(CONFIG);
});

test("both searches are links unless marked as coming soon", () => {
  serve({ "PUT user/session": accountAnswer() });
  draw(<Dashboard />, { at: AT });
  const menu = within(screen.getAllByRole("navigation", { name: "Main menu" })[0]!);
  expect(menu.getAllByRole("link").map((link) => link.textContent).slice(3)).toEqual(["People Search", "Company Search", "Lists"]);
});

test("the owner sees the upgrade button, and signing out needs a confirmation", async () => {
  const sent = serve({ "PUT user/session": accountAnswer(), "DELETE user/session": { success: true } });
  const { where, state } = draw(<Dashboard />, { at: AT });
  expect(screen.getByRole("button", { name: "Upgrade" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Account menu" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sign Out" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Sign Out" }));
  await waitFor(() => expect(where()).toBe("/login"));
  expect(state()).toBeNull();
  expect(sent.at(-1)!.method).toBe("DELETE");
  expect(currentSession()).toBeNull();
});

test("a member sees no upgrade button", () => {
  serve({ "PUT user/session": accountAnswer({ role: "member" }) });
  draw(<Dashboard />, { at: AT, me: accountAnswer({ role: "member" }) });
  expect(screen.queryByRole("button", { name: /Upgrade|View Plans/ })).toBeNull();
});

test("a token in the URL is exchanged for a session and removed from the address bar at once", async () => {
  const sent = serve({ "GET user/session": accountAnswer({ session_token: "fresh" }), "PUT user/session": accountAnswer() });
  window.history.replaceState(null, "", "/dashboard?session_token=ticket&x=1");
  draw(<Dashboard />, { at: AT, me: null });
  expect(window.location.search).toBe("?x=1");
  await waitFor(() => expect(currentSession()?.sessionToken).toBe("fresh"));
  expect(sent[0]!.query.get("session_token")).toBe("ticket");
  window.history.replaceState(null, "", "/");
});

test("an invalid token in the URL shows a message and redirects to the sign-in page", async () => {
  serve({ "GET user/session": failure(401, { scope: "account" }) });
  window.history.replaceState(null, "", "/dashboard?session_token=bad");
  const { where } = draw(<Dashboard />, { at: AT, me: null });
  await waitFor(() => expect(where()).toBe("/login"));
  expect(screen.getByRole("alert")).toHaveTextContent("Your account access session is expired");
  window.history.replaceState(null, "", "/");
});
