import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { accountAnswer, planAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { PayFailScreen } from "../payfail/PayFailScreen";
import { PaySuccessScreen } from "./PaySuccessScreen";

const PRO = planAnswer(3, "Pro");
const AT = "/dashboard/paysuccess?plan=3&session_id=cs_1";
const paid = (status: string) => ({ "GET stripe": { success: 1, resource: { status: 1, code: 200, data: { planid: 3, status, settled: 0 } } } });

test("the page waits until the paid plan is active and shows its name in lower case", async () => {
  let asked = 0;
  serve({
    ...paid("complete"),
    "GET leads/_table/subscriptionplan": { resource: [PRO] },
    "PUT user/session": () => (asked++ === 0 ? accountAnswer() : accountAnswer({ plan: PRO })),
  });
  draw(<PaySuccessScreen />, { at: AT });
  expect(await screen.findByRole("heading", { name: "Setting up the pro plan" })).toBeVisible();
  expect(await screen.findByRole("heading", { name: "Welcome to the pro plan" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Go To Dashboard" })).toHaveAttribute("href", "/dashboard/main/dashboardmain");
});

test("an upgrade that was paid in the app shows what was paid, and its invoice", async () => {
  serve({ "GET leads/_table/subscriptionplan": { resource: [PRO] }, "GET leads/_table/transactionhistory": { resource: [{ invoicenumber: "INV-7" }], meta: { count: 9 } }, "PUT user/session": accountAnswer({ plan: PRO }) });
  draw(<PaySuccessScreen />, { at: "/dashboard/paysuccess", me: accountAnswer({ plan: PRO }), state: { receipt: { planid: 3, total: 5012, currency: "usd" } } });
  expect(await screen.findByRole("heading", { name: "Welcome to the pro plan" })).toBeVisible();
  expect(screen.getByText("$50.12")).toBeVisible();
  expect(screen.getByText("From the renewal")).toBeVisible();
  expect(await screen.findByRole("button", { name: "Download invoice INV-7 as PDF" })).toBeVisible();
});

test.each([
  ["without a page", "/dashboard/paysuccess", {}],
  ["with the current plan", "/dashboard/paysuccess?plan=3", {}],
  ["with an unknown checkout", AT, { "GET stripe": { success: 2, message: "No such checkout" } }],
  ["with a page that was not paid", AT, paid("open")],
  ["by a member", AT, {}],
])("the page opened by hand %s confirms nothing", async (name, at, answers) => {
  serve({ ...answers, "GET leads/_table/subscriptionplan": { resource: [PRO] } });
  draw(<PaySuccessScreen />, { at, me: accountAnswer({ plan: PRO, role: name === "by a member" ? "member" : "client" }) });
  expect(await screen.findByRole("heading", { name: "Nothing to confirm" })).toBeVisible();
  expect(screen.queryByText(/Welcome|Thank you/)).toBeNull();
});

test("a failed payment shows a link back to the plans", () => {
  draw(<PayFailScreen />, { at: "/dashboard/payfail" });
  expect(screen.getByText("Sorry..... Your subscription process is failed, Try again")).toBeVisible();
  expect(screen.getByRole("button", { name: "Go To Plan" })).toHaveAttribute("href", "/dashboard/upgradeplan");
});
