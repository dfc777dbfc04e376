import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { setConfig } from "../../api/config";
import { redirectTo } from "../../lib/redirect";
import { CONFIG, accountAnswer, planAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { UpgradePlanScreen } from "./UpgradePlanScreen";

const user = userEvent.setup();
const AT = "/dashboard/upgradeplan";
const FREE = planAnswer(1, "Free Trial", { sku: "custom_trial", price: 0 });
const STARTER = planAnswer(2, "Starter", { availableseats: 2, availableapicall: 0 });
const PRO = planAnswer(3, "Pro", {
  price: 99,
  new_features_json: [{ name: "API access", value: "5 keys", tooltip: "Look contacts up.", tooltipapi: "It spends credits." }],
});
const BUSINESS = planAnswer(4, "Business", { price: 199.5 });
const YEARLY = planAnswer(6, "Pro Yearly", { price: 990, validity: 365 });
const CUSTOM = planAnswer(8, "Enterprise", { sku: "custom_monthly", price: -1 });

const PREVIEW = {
  success: 1,
  resource: {
    status: 1,
    code: 200,
    data: {
      subscription_proration_date: 1_790_000_000,
      subtotal: 5012,
      total: 5012,
      currency: "usd",
      dueon: "2026-12-20T00:00:00+00:00",
      lines: [{ description: "Unused time on Pro", amount: -4988 }, { description: "Remaining time on Business", amount: 10_000 }],
      credits: { contactcredit: 700, bus_email_credits: 0, personal_email_credits: 0 },
    },
  },
};
const counts = (members: number, apis: number) => ({
  "GET leads/_table/appuser": { resource: [], meta: { count: members } },
  "GET leads/_table/apikeys": { resource: [], meta: { count: apis } },
});
const NONE = { success: 2, message: "No such subscription" };
const onPro = (subscription: object = {}) => accountAnswer({ plan: PRO, subscription });
const apiAccess = (value: string) => ({ new_features_json: [{ name: "API access", value, tooltip: "", tooltipapi: "" }] });
const base = (me: object = onPro()) => ({
  ...counts(0, 0),
  "GET leads/_table/subscriptionplan": { resource: [FREE, STARTER, PRO, BUSINESS, YEARLY, CUSTOM] },
  "PUT user/session": me,
});
const labels = async (...plans: string[]) => Promise.all(plans.map(async (plan) => (await actionOf(plan)).textContent));
const actionOf = async (plan: string) => {
  const [action] = within(await screen.findByRole("article", { name: plan })).getAllByRole("button");
  return action!;
};

test("each plan shows its price and action", async () => {
  serve(base());
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  expect(await labels("Free Trial", "Starter", "Pro", "Business", "Enterprise")).toEqual([
    "Downgrade",
    "Downgrade",
    "Current plan",
    "Upgrade",
    "Contact Sales",
  ]);
  expect(screen.getByText("∞")).toBeVisible();
  expect(screen.getByRole("article", { name: "Business" })).toHaveTextContent("$199.50 per month");
  expect(screen.getByRole("article", { name: "Free Trial" })).toHaveTextContent("Free");
  await user.hover(screen.getByRole("button", { name: "API access" }));
  expect(await screen.findByText("Look contacts up. It spends credits.")).toBeVisible();

  await user.click(screen.getByRole("tab", { name: "Yearly" }));
  expect(await screen.findByRole("article", { name: "Pro Yearly" })).toHaveTextContent("$990 per year");
  expect(screen.queryByRole("article", { name: "Starter" })).toBeNull();
});

test("a custom plan shows API access by agreement on its card", async () => {
  const plans = [planAnswer(4, "Business", { price: 199, ...apiAccess("5 keys") }), planAnswer(2, "Starter", apiAccess("Not included")), { ...CUSTOM, ...apiAccess("By agreement") }];
  serve({ ...base(), "GET leads/_table/subscriptionplan": { resource: plans } });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  expect(await screen.findByRole("article", { name: "Enterprise" })).toHaveTextContent("By agreement");
  expect(screen.queryByRole("table")).toBeNull();
});

test.each([
  ["cancelled", { autorenew: "0" }],
  ["expired", { expirydate: "2026-01-01" }],
])("with a plan that is %s, every plan can be subscribed to and none is current", async (_, subscription) => {
  serve(base(onPro(subscription)));
  draw(<UpgradePlanScreen />, { at: AT, me: onPro(subscription) });
  expect(await labels("Starter", "Pro", "Business")).toEqual(["Subscribe Now", "Subscribe Now", "Subscribe Now"]);
});

test("without payments, plans are shown with disabled buttons", async () => {
  setConfig({ ...CONFIG, paymentsenabled: false });
  serve(base());
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  expect(await labels("Starter", "Pro", "Business", "Enterprise")).toEqual([
    "Payments are not set up",
    "Current plan",
    "Payments are not set up",
    "Contact Sales",
  ]);
  expect(await actionOf("Business")).toBeDisabled();
});

test("an upgrade shows its cost before the payment", async () => {
  const after = accountAnswer({ plan: BUSINESS });
  let paid = false;
  const sent = serve({
    ...base(),
    "PUT user/session": () => (paid ? after : onPro()),
    "GET stripe": PREVIEW,
    "PATCH stripe": () => {
      paid = true;
      return { success: 1 };
    },
  });
  const { where } = draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Business"));
  const dialog = within(await screen.findByRole("dialog", { name: "Upgrade to Business" }));
  expect(dialog.getByText("−$49.88")).toBeVisible();
  expect(dialog.getByRole("row", { name: "Cell Number 5 705" })).toBeVisible();
  expect(sent.some(({ method }) => method === "PATCH")).toBe(false);

  await user.click(dialog.getByRole("button", { name: "Confirm and pay $50.12" }));
  expect(await screen.findByText("Your plan was upgraded successfully")).toBeVisible();
  expect(sent.find(({ method }) => method === "PATCH")!.body).toMatchObject({ res: "sub", plan: 4, subId: 1, proration_date: 1_790_000_000 });
  await waitFor(() => expect(where()).toBe("/dashboard/paysuccess"));
});

test("without a subscription at the provider, the hosted page opens", async () => {
  const sent = serve({ ...base(), "GET stripe": NONE, "POST stripe": { resource: { data: "cs_1", url: "https://pay.example/cs_1" } } });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Business"));
  await waitFor(() => expect(redirectTo).toHaveBeenCalledWith("https://pay.example/cs_1"));
  expect(sent.at(-1)!.body).toMatchObject({ email: "owner@acme-demo.com", plan: 4 });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a cancelled plan resumes without payment, another plan opens the hosted page", async () => {
  const me = onPro({ autorenew: 0 });
  const sent = serve({
    ...base(me),
    "GET stripe": PREVIEW,
    "PATCH stripe": { success: 1 },
    "POST stripe": { resource: { data: "cs_2", url: "https://pay.example/cs_2" } },
  });
  draw(<UpgradePlanScreen />, { at: AT, me });
  await user.click(await actionOf("Pro"));
  await user.click(await screen.findByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("Your plan continues")).toBeVisible();
  expect(sent.some(({ method, path }) => method === "POST" && path === "stripe")).toBe(false);

  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(await actionOf("Business"));
  const dialog = within(await screen.findByRole("dialog", { name: "Subscribe to Business?" }));
  expect(dialog.getByText(/A new subscription ends it at once, and the rest of it is lost/)).toBeVisible();
  expect(dialog.getByText("about $99")).toBeVisible();
  expect(dialog.getByText("−5")).toBeVisible();
  expect(sent.some(({ method, path }) => method === "POST" && path === "stripe")).toBe(false);
  await user.click(dialog.getByRole("button", { name: "Keep Pro" }));
  expect(await screen.findByRole("dialog", { name: "Keep Pro" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Cancel" }));

  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(await actionOf("Business"));
  await user.click(await screen.findByRole("button", { name: "Subscribe anyway" }));
  await waitFor(() => expect(redirectTo).toHaveBeenCalledWith("https://pay.example/cs_2"));
});

test("an upgrade to another interval shows the credits, seats and keys that are lost", async () => {
  const me = accountAnswer({ plan: planAnswer(3, "Pro", { price: 99, availableseats: 9, availableapicall: 2 }) });
  serve({ ...base(me), "GET stripe": PREVIEW });
  draw(<UpgradePlanScreen />, { at: `${AT}?period=yearly`, me });
  await user.click(await actionOf("Pro Yearly"));
  const dialog = within(await screen.findByRole("dialog", { name: "Upgrade to Pro Yearly" }));
  const lost = within(dialog.getByLabelText("Ends at once"));
  expect(lost.getByText("5 instead of 9")).toBeVisible();
  expect(lost.getByText("0 instead of 2")).toBeVisible();
  expect(dialog.getByRole("row", { name: "Work Email 4 0" })).toBeVisible();
});

test.each([
  ["members", 4, 0, "Member Limit Exceeded", "delete 2 member/admin", "/dashboard/settings/manageseats"],
  ["API keys", 1, 3, "API Limit Exceeded", "delete 3 API", "/dashboard/settings/api"],
])("too many %s for a plan shows the excess and a link to remove them", async (_, members, apis, title, text, place) => {
  const sent = serve({ ...base(), ...counts(members, apis) });
  const { where } = draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Starter"));
  const dialog = within(await screen.findByRole("dialog", { name: title }));
  expect(dialog.getByText(new RegExp(text))).toBeVisible();
  expect(dialog.getByRole("button", { name: "Cancel" })).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(where()).toBe(place));
  expect(sent.some(({ path }) => path === "stripe")).toBe(false);
});

test("a downgrade is recorded, sent to the provider and takes effect after the period", async () => {
  const sent = serve({
    ...base(),
    ...counts(1, 0),
    "GET stripe": PREVIEW,
    "PATCH leads/_table/usersubscription": { resource: [{}] },
    "PATCH stripe": { success: 1 },
  });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Starter"));
  const dialog = within(await screen.findByRole("dialog", { name: "Downgrade to Starter" }));
  expect(dialog.getByText(/after the current billing period, on 20 Dec 2026/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Confirm downgrade" }));
  expect(await screen.findByText("Your plan will be downgraded after this billing period")).toBeVisible();
  expect(sent.find(({ path }) => path === "stripe")!.query.get("stdate")).toBe("yes");
  const written = sent.filter(({ method }) => method === "PATCH");
  expect(written.map(({ path }) => path)).toEqual(["leads/_table/usersubscription", "stripe"]);
  expect(written[0]!.body.resource[0]).toMatchObject({ subscriptionid: 1, clientid: 1, type: "downgrade", planid: 2 });
});

test("a downgrade to the free plan is rejected while too many seats are in use", async () => {
  const sent = serve({ ...base(), ...counts(9, 0), "DELETE stripe": { success: 1 } });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Free Trial"));
  expect(await screen.findByRole("dialog", { name: "Member Limit Exceeded" })).toBeVisible();
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
  expect(sent.some(({ method }) => method === "DELETE")).toBe(false);
});

test("a downgrade to the free plan shows the end date and cancels the paid plan", async () => {
  const sent = serve({ ...base(), "DELETE stripe": { success: 1 } });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Free Trial"));
  const dialog = within(await screen.findByRole("dialog", { name: "Downgrade to Free Trial" }));
  expect(dialog.getByText(/does not renew and ends on 20 Dec 2099/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Confirm downgrade" }));
  expect(await screen.findByText("Your plan cancelled successfully, it will be reflect after this billing period")).toBeVisible();
  expect(sent.find(({ method }) => method === "DELETE")!.query.get("subId")).toBe("1");
});

test("limits reported by the server are shown in the same dialog", async () => {
  const failure = new ErrorResponse(409, { code: 409, message: "x", context: { reason: "limit_exceeded", members_over: 3, apis_over: 0 } });
  serve({ ...base(), "GET stripe": PREVIEW, "PATCH stripe": failure });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Business"));
  await user.click(await screen.findByRole("button", { name: /^Confirm and pay/ }));
  const dialog = await screen.findByRole("dialog", { name: "Member Limit Exceeded" });
  expect(within(dialog).getByText(/delete 3 member\/admin/)).toBeVisible();
});

test("an error of the provider is shown, and the button can be used again", async () => {
  const failure = new ErrorResponse(503, { code: 503, message: "Payments cannot be reached.", context: { reason: "payments_unavailable" } });
  let asked = 0;
  serve({ ...base(), "GET stripe": () => (asked++ === 0 ? failure : PREVIEW) });
  draw(<UpgradePlanScreen />, { at: AT, me: onPro() });
  await user.click(await actionOf("Business"));
  expect(await screen.findByText("Payments cannot be reached.")).toBeVisible();
  await user.click(await actionOf("Business"));
  expect(await screen.findByRole("dialog", { name: "Upgrade to Business" })).toBeVisible();
});

test("a planned downgrade is shown and can be undone", async () => {
  const me = onPro({ downgrade_planid: 2, downgrade_startson: "2026-12-20 00:00:00+00" });
  const sent = serve({ ...base(me), "GET stripe": PREVIEW, "PATCH stripe": { success: 1 } });
  draw(<UpgradePlanScreen />, { at: AT, me });
  expect(await screen.findByText("Starts on 20 Dec 2026")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Keep this plan" }));
  await user.click(await screen.findByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(sent.find(({ method }) => method === "PATCH")!.body).toMatchObject({ plan: 3 }));
});
