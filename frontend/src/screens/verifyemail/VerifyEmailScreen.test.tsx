import { act, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { account } from "../../api/account";
import { unverifiedMet } from "../../stores/unverified";
import { accountAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { VerifyEmailScreen } from "./VerifyEmailScreen";

const AT = "/verifyemail";
const me = accountAnswer({ isverified: 0 });

test("without a user to verify, redirects to the sign-in page", async () => {
  serve({});
  const { where } = draw(<VerifyEmailScreen />, { at: AT, me: null });
  await waitFor(() => expect(where()).toBe("/login"));
});

test("a verified account is reloaded before the redirect to the dashboard", async () => {
  act(() => unverifiedMet(me));
  const sent = serve({
    "POST getappuserbyemail": { resource: [{ ...me, isverified: 1 }] },
    "PUT user/session": accountAnswer({ isverified: 1 }),
  });
  const { where, queries } = draw(<VerifyEmailScreen />, { at: AT, me });
  await waitFor(() => expect(where()).toBe("/dashboard/main/dashboardmain"));
  expect(queries.getQueryData(account.queryKey)?.isverified).toBe(1);
  expect(sent.map(({ path }) => path)).toEqual(["getappuserbyemail", "user/session"]);
});
