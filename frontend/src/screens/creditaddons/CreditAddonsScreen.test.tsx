import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { setConfig } from "../../api/config";
import { loadStripe } from "../../api/stripejs";
import { redirectTo } from "../../lib/redirect";
import { bankVisited } from "../../stores/bankvisit";
import { CONFIG, accountAnswer, planAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { CreditAddonsScreen } from "./CreditAddonsScreen";

const user = userEvent.setup();
const AT = "/dashboard/creditaddons";
const HOME = "/dashboard/main/dashboardmain";
const ADDON = planAnswer(101, "100 Cell Numbers", { price: 25, isaddon: 1 });
const BASE = {
  "GET leads/_table/subscriptionplan": { resource: [ADDON] },
  "PUT user/session": accountAnswer(),
  "POST addoncredits_email": { success: 1 },
  "GET account/credits": { spent: { contactcredit: 25, bus_email_credits: 0, personal_email_credits: 0 }, renewson: null, autorenew: false },
};
const SANDBOX = "POST /sandbox/stripe/v1/payment_methods";
const PAID = { result: { transactionid: 9 } };

beforeEach(() => {
  setConfig({ ...CONFIG, demo: true });
});

async function fill(number: string, expiry = "1234", cvc = "123") {
  await user.click(await screen.findByRole("button", { name: "Buy" }));
  const dialog = within(await screen.findByRole("dialog", { name: "100 Cell Numbers" }));
  await user.type(dialog.getByLabelText("Card number"), number);
  await user.type(dialog.getByLabelText("Expiry"), expiry);
  await user.type(dialog.getByLabelText("CVC"), cvc);
  await user.click(dialog.getByRole("button", { name: "Pay $25" }));
  return dialog;
}

test("an invalid card is reported before anything is sent", async () => {
  const sent = serve(BASE);
  draw(<CreditAddonsScreen />, { at: AT });
  const dialog = await fill("4242424242424241", "1320", "1");
  expect(dialog.getByText("Your card number is invalid")).toBeVisible();
  expect(dialog.getByText("Your card's expiry date is invalid")).toBeVisible();
  expect(dialog.getByText("Your card's security code is invalid")).toBeVisible();
  expect(dialog.getByRole("button", { name: "Cancel" })).toBeVisible();
  expect(sent.some(({ method }) => method === "POST")).toBe(false);
});

test("the card goes to the sandbox, its token to the server, and the user to the dashboard", async () => {
  const sent = serve({ ...BASE, [SANDBOX]: { id: "pm_1" }, "POST addonpayment": PAID });
  const { where } = draw(<CreditAddonsScreen />, { at: AT });
  await fill("4242424242424242");
  expect(await screen.findByText("Payment successful! Your credits have been added.")).toBeVisible();
  await waitFor(() => expect(where()).toBe(HOME));
  const [method, payment, receipt] = sent.filter((one) => one.method === "POST");
  expect(method!.headers.get("X-Session-Token")).toBeNull();
  expect(String(method!.body)).toContain("4242424242424242");
  expect(payment!.body).toEqual({ clientid: 1, tokenid: "pm_1", planid: 101 });
  expect(receipt!.body).toEqual({ transactionid: 9 });
});

test("a declined card shows one error and redirects to the dashboard", async () => {
  const failure = new ErrorResponse(402, { code: 402, message: "Payment Failed", context: { scope: "resource" } });
  serve({ ...BASE, [SANDBOX]: { id: "pm_1" }, "POST addonpayment": failure });
  const { where } = draw(<CreditAddonsScreen />, { at: AT });
  await fill("4000000000000002");
  expect(await screen.findByText("Payment Failed")).toBeVisible();
  await waitFor(() => expect(where()).toBe(HOME));
  // One press leads back to the form of the same add-on.
  await user.click(screen.getByRole("button", { name: "Try another card" }));
  expect(where()).toBe(AT);
});

test("a rejected card keeps the form open, and a failed payment is retried with the same token", async () => {
  let asked = 0;
  const sent = serve({
    ...BASE,
    [SANDBOX]: () => (asked++ === 0 ? new ErrorResponse(402, { message: "You used a non test card." }) : { id: `pm_${asked}` }),
    "POST addonpayment": () => {
      if (sent.filter(({ path }) => path === "addonpayment").length === 1) return new ErrorResponse(503, { code: 503, message: "Busy." });
      return PAID;
    },
  });
  draw(<CreditAddonsScreen />, { at: AT });
  const dialog = await fill("4111111111111111");
  expect(await dialog.findByText("You used a non test card.")).toBeVisible();
  const pay = () => user.click(dialog.getByRole("button", { name: "Pay $25" }));
  await pay();
  expect(await dialog.findByText("Busy.")).toBeVisible();
  await pay();
  expect(await screen.findByText("Payment successful! Your credits have been added.")).toBeVisible();
  const tokens = sent.filter(({ path }) => path === "addonpayment").map(({ body }) => body.tokenid);
  expect(tokens).toEqual(["pm_2", "pm_2"]);
});

test("a payment that needs authentication redirects to the bank and completes on return", async () => {
  const asks = { result: { requires_action: 1, clientsecret: "s", url: "https://bank.example/3ds" } };
  serve({ ...BASE, [SANDBOX]: { id: "pm_1" }, "POST addonpayment": asks });
  const first = draw(<CreditAddonsScreen />, { at: AT });
  await fill("4000002500003155");
  await waitFor(() => expect(redirectTo).toHaveBeenCalledWith("https://bank.example/3ds"));
  first.unmount();

  const sent = serve({ ...BASE, "POST addonpayment": PAID });
  const { where } = draw(<CreditAddonsScreen />, { at: `${AT}?payment_intent=pi_1&redirect_status=succeeded` });
  await waitFor(() => expect(where()).toBe(HOME));
  expect(screen.getByText("Payment successful! Your credits have been added.")).toBeVisible();
  expect(sent.find(({ path }) => path === "addonpayment")!.body).toEqual({ clientid: 1, tokenid: "pi_1", planid: 101 });
});

test("a failed authentication at the bank ends the payment", async () => {
  bankVisited(101);
  const sent = serve(BASE);
  const { where } = draw(<CreditAddonsScreen />, { at: `${AT}?payment_intent=pi_1&redirect_status=failed` });
  await waitFor(() => expect(where()).toBe(HOME));
  expect(screen.getByText("Payment Failed")).toBeVisible();
  expect(sent.some(({ path }) => path === "addonpayment")).toBe(false);
});

test("the free plan cannot buy add-ons", () => {
  serve(BASE);
  draw(<CreditAddonsScreen />, { at: AT, me: accountAnswer({ plan: planAnswer(1, "Free Trial", { price: 0 }) }) });
  expect(screen.getByText("No add-ons can be added to the free plan.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Buy" })).toBeNull();
});

test("without payments, add-ons are shown with a disabled button", async () => {
  setConfig({ ...CONFIG, paymentsenabled: false });
  serve(BASE);
  draw(<CreditAddonsScreen />, { at: AT });
  expect(await screen.findByRole("button", { name: "Payments are not set up" })).toBeDisabled();
});

test("a card form that fails to load has a retry button and a link to the plans", async () => {
  setConfig({ ...CONFIG, stripepublishablekey: "pk_test_1" });
  vi.mocked(loadStripe).mockRejectedValueOnce(new Error("late"));
  serve(BASE);
  draw(<CreditAddonsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Buy" }));
  expect(await screen.findByText("The card form could not be loaded")).toBeVisible();
  expect(screen.getByRole("button", { name: "See plans" })).toHaveAttribute("href", "/dashboard/upgradeplan");

  const stripe = stripeOf({ paymentIntent: { status: "succeeded" } });
  vi.mocked(loadStripe).mockResolvedValueOnce(stripe as never);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("button", { name: "Pay $25" })).toBeVisible();
});

test("Stripe Elements reuse one payment intent across retries", async () => {
  setConfig({ ...CONFIG, stripepublishablekey: "pk_test_1" });
  const stripe = stripeOf({ error: { message: "Your card was declined." } }, { paymentIntent: { status: "succeeded" } });
  vi.mocked(loadStripe).mockResolvedValueOnce(stripe as never);
  const intent = { result: { clientsecret: "pi_1_secret", paymentintentid: "pi_1", amount: 2500, currency: "usd" } };
  const sent = serve({ ...BASE, "POST addonpaymentintent": intent, "POST addonpayment": PAID });
  draw(<CreditAddonsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Buy" }));
  await user.click(await screen.findByRole("button", { name: "Pay $25" }));
  expect(await screen.findByText("Your card was declined.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Pay $25" }));
  expect(await screen.findByText("Payment successful! Your credits have been added.")).toBeVisible();
  expect(sent.filter(({ path }) => path === "addonpaymentintent")).toHaveLength(1);
  expect(sent.find(({ path }) => path === "addonpayment")!.body.tokenid).toBe("pi_1");
});

/** The part of Stripe's object that the form uses, with a queue of responses. */
function stripeOf(...answers: object[]) {
  const element = { mount() {}, destroy() {} };
  return { elements: () => ({ create: () => element }), confirmCardPayment: async () => answers.shift() };
}
