import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Transaction } from "../../api/types";
import { accountAnswer, planAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { BillingScreen } from "./BillingScreen";

const user = userEvent.setup();
const AT = "/dashboard/settings/billing";
const LIST = "GET leads/_table/transactionhistory";

const invoice = (part: Partial<Transaction> = {}): Transaction => ({
  transactionid: 1,
  clientid: 1,
  planid: 2,
  currency: "usd",
  lines: null,
  tax: 0,
  periodstart: null,
  refunded: 0,
  payurl: null,
  invoicenumber: "INV-0001",
  transactiondate: "2026-11-05 10:00:00+00",
  expirydate: "2026-12-05 10:00:00+00",
  planname: "Starter",
  isaddon: 0,
  price: 49,
  status: "paid",
  ...part,
});
const list = (...rows: Transaction[]) => ({ resource: rows, meta: { count: rows.length } });
const filterOf = (sent: { query: URLSearchParams; path: string }[]) =>
  sent.filter(({ path }) => path.endsWith("transactionhistory")).at(-1)!.query.get("filter");

test("shows the renewal date and seats of the plan", async () => {
  serve({ [LIST]: list() });
  draw(<BillingScreen />, { at: AT });
  const box = within(screen.getByRole("region", { name: "Plan" }));
  expect(box.getByText("Renews on 20 Dec 2099")).toBeVisible();
  expect(box.getByText("3 of 5")).toBeVisible();
  expect(box.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "60");
  expect(box.getByRole("link", { name: "Upgrade" })).toHaveAttribute("href", "/dashboard/upgradeplan");
  expect(await screen.findByText("no data found")).toBeVisible();
});

test("a planned change is shown instead of the renewal", async () => {
  const next = planAnswer(1, "Lite", { price: 19 });
  serve({ [LIST]: list(), "GET leads/_table/subscriptionplan": { resource: [next] } });
  draw(<BillingScreen />, {
    at: AT,
    me: accountAnswer({ subscription: { downgrade_planid: next.planid, downgrade_startson: "2099-12-20 00:00:00+00" } }),
  });
  const box = within(screen.getByRole("region", { name: "Plan" }));
  expect(await box.findByText("Changes to Lite on 20 Dec 2099")).toBeVisible();
  expect(box.queryByText(/Renews/)).toBeNull();
});

const PREVIEW = { success: 1, resource: { status: 1, code: 200, data: { subscription_proration_date: 1_790_000_000, subtotal: 0, total: 0, currency: "usd", dueon: "2099-12-20T00:00:00+00:00", lines: [] } } };

test.each([
  ["a planned downgrade", { downgrade_planid: 1, downgrade_startson: "2099-12-20 00:00:00+00" }],
  ["a cancellation", { autorenew: 0 }],
])("%s is undone where it is shown", async (_, subscription) => {
  const me = accountAnswer({ subscription });
  const plan = me.client_by_clientid.usersubscription_by_clientid[0]!.subscriptionplan_by_planid!;
  const sent = serve({
    [LIST]: list(),
    "GET leads/_table/subscriptionplan": { resource: [planAnswer(1, "Lite", { price: 19 }), plan] },
    "GET stripe": PREVIEW,
    "PATCH stripe": { success: 1 },
    "PUT user/session": me,
  });
  const { where } = draw(<BillingScreen />, { at: AT, me });
  await user.click(await screen.findByRole("button", { name: `Keep ${plan.name}` }));
  await user.click(await screen.findByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("Your plan continues")).toBeVisible();
  expect(sent.find(({ method }) => method === "PATCH")!.body).toMatchObject({ plan: plan.planid });
  expect(where()).toBe(AT);
});

test("a date that does not exist is reported as soon as it is typed, and usual spans take one press", async () => {
  const sent = serve({ [LIST]: list(invoice()) });
  const { where } = draw(<BillingScreen />, { at: AT });
  await user.type(await screen.findByLabelText("From"), "40-13-2026");
  expect(await screen.findByText("Please enter a date as dd-MM-yyyy")).toBeVisible();
  await user.clear(screen.getByLabelText("From"));
  await user.click(screen.getByRole("button", { name: "This year" }));
  const year = new Date().getUTCFullYear();
  await waitFor(() => expect(where()).toBe(`${AT}?from=${year}-01-01&to=${year}-12-31`));
  await waitFor(() => expect(filterOf(sent)).toContain(`${year}-01-01`));
});

test("a paused plan says so", () => {
  serve({ [LIST]: list() });
  draw(<BillingScreen />, { at: AT, me: accountAnswer({ subscription: { isactive: 0, status: "paused" } }) });
  const box = within(screen.getByRole("region", { name: "Plan" }));
  expect(box.getByText("Paused. Your credits are kept until it continues")).toBeVisible();
});

test.each([
  ["free", { plan: planAnswer(1, "Free Trial", { price: 0, sku: "custom_trial" }) }],
  ["custom", { plan: planAnswer(8, "Enterprise", { price: -1, sku: "custom_monthly" }) }],
  ["cancelled", { subscription: { autorenew: 0 } }],
])("a %s plan cannot be cancelled", (_, part) => {
  serve({ [LIST]: list() });
  draw(<BillingScreen />, { at: AT, me: accountAnswer(part) });
  expect(screen.queryByRole("button", { name: "Cancel Subscription" })).toBeNull();
});

test("cancelling needs a confirmation, shows a message and then the end date", async () => {
  const sent = serve({
    [LIST]: list(),
    "DELETE stripe": { success: 1 },
    "PUT user/session": accountAnswer({ subscription: { autorenew: 0 } }),
  });
  draw(<BillingScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Cancel Subscription" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Cancel subscription?" }));
  await user.click(dialog.getByRole("button", { name: "Cancel Subscription" }));
  expect(await screen.findByText("Your plan cancelled successfully, it will be reflect after this billing period")).toBeVisible();
  expect(sent.find(({ method }) => method === "DELETE")!.query.get("subId")).toBe("1");
  expect(await screen.findByText("subscription cancelled, it ends on 20 Dec 2099")).toBeVisible();
});

test("a failed cancellation shows an error", async () => {
  serve({ [LIST]: list(), "DELETE stripe": new ErrorResponse(503, { code: 503, message: "x" }) });
  draw(<BillingScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Cancel Subscription" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Cancel Subscription" }));
  expect(await screen.findByText("Something went wrong!")).toBeVisible();
});

test("invoices show dates as D MMM YYYY, and an open one has a payment link", async () => {
  const open = invoice({ transactionid: 2, invoicenumber: "INV-0002", status: "open", payurl: "https://pay.example/i" });
  serve({ [LIST]: list(invoice(), open) });
  draw(<BillingScreen />, { at: AT });
  const row = within((await screen.findByText("INV-0001")).closest("tr")!);
  expect(row.getByRole("cell", { name: "5 Nov 2026" })).toBeVisible();
  expect(row.getByRole("cell", { name: "$49.00" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Pay invoice INV-0002" })).toHaveAttribute("href", "https://pay.example/i");
});

test("full and partial refunds are shown", async () => {
  const whole = invoice({ transactionid: 2, invoicenumber: "INV-0002", status: "refunded", refunded: 49 });
  serve({ [LIST]: list(whole, invoice({ refunded: 12.5 })) });
  draw(<BillingScreen />, { at: AT });
  expect(within((await screen.findByText("INV-0002")).closest("tr")!).getByText("Refunded")).toBeVisible();
  const part = within(screen.getByText("INV-0001").closest("tr")!);
  expect(part.getByText("Paid")).toBeVisible();
  expect(part.getByText("Refunded $12.50")).toBeVisible();
});

test("the invoice search is debounced and escapes wildcards", async () => {
  const sent = serve({ [LIST]: list(invoice()) });
  const { where } = draw(<BillingScreen />, { at: AT });
  await screen.findByText("INV-0001");
  await user.type(screen.getByLabelText("Search invoices"), "IN_1'");
  await waitFor(() => expect(filterOf(sent)).toBe("(invoicenumber like '%IN\\_1''%')"));
  expect(sent).toHaveLength(2);
  expect(new URLSearchParams(where().split("?")[1]).get("invoice")).toBe("IN_1'");
});

test("a date range typed as dd-MM-yyyy includes its last day", async () => {
  const sent = serve({ [LIST]: list(invoice()) });
  const { where } = draw(<BillingScreen />, { at: AT });
  await user.type(await screen.findByLabelText("From"), "01-11-2026");
  await user.type(screen.getByLabelText("To"), "30-11-2026");
  await waitFor(() =>
    expect(filterOf(sent)).toBe("(transactiondate >= '2026-11-01 00:00:00') and (transactiondate <= '2026-11-30 23:59:59')"),
  );
  await user.clear(screen.getByLabelText("To"));
  await user.type(screen.getByLabelText("To"), "31-11-2026");
  await user.tab();
  expect(await screen.findByText("Please enter a date as dd-MM-yyyy")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Clear" }));
  await waitFor(() => expect(where()).toBe(AT));
  expect([screen.getByLabelText("From"), screen.getByLabelText("To")].map((field) => (field as HTMLInputElement).value)).toEqual(["", ""]);
});

test("a PDF is fetched with headers and without credentials in the URL", async () => {
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:file", revokeObjectURL: () => undefined }));
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const sent = serve({ [LIST]: list(invoice()), "GET invoicepdf": {} });
  draw(<BillingScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Download invoice INV-0001 as PDF" }));
  await waitFor(() => expect(saved).toEqual(["invoice-INV-0001.pdf"]));
  const { headers, query } = sent.at(-1)!;
  expect([headers.get("X-Session-Token"), [...query.keys()]]).toEqual(["token", ["invoicenumber"]]);
});
