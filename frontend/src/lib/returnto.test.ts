// @vitest-environment jsdom
import { expect, test } from "vitest";
import { afterSignIn, returnState } from "./returnto";

const HOME = "/dashboard/main/dashboardmain";

test.each([
  "https://evil.example/dashboard/x",
  "//evil.example/dashboard/x",
  "/\\evil.example/dashboard/",
  "javascript:alert(1)//dashboard/",
  "/dashboard/../../login",
  "/dashboard/..//evil.example",
  "/dashboardx",
  "/api/v2/user/session",
  "",
  7,
  undefined,
])("the return URL %s is replaced by the home page", (returnTo) => {
  expect(afterSignIn({ returnTo }, HOME)).toBe(HOME);
});

test("without a return URL, a sign-in redirects to the home page", () => {
  expect(afterSignIn(null, HOME)).toBe(HOME);
});

test("the return URL keeps its query but not the session token", () => {
  const state = returnState({ pathname: "/dashboard/settings/myaccount", search: "?newemail=a%40b.example&session_token=secret&code=c" });
  expect(JSON.stringify(state)).not.toContain("secret");
  expect(afterSignIn(state, HOME)).toBe("/dashboard/settings/myaccount?newemail=a%40b.example&code=c");
});
