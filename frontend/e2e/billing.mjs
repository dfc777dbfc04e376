/** Billing from end to end: hosted page, proration, invoice, add-ons with and without a bank's page, downgrade,
 cancel. */
import { readFileSync } from "node:fs";
import { OWNER, accessible, check, journey, picture, signIn } from "./browser.mjs";

const PLANS = "/dashboard/upgradeplan?period=yearly";
const GOOD = "4242 4242 4242 4242";
const DECLINED = "4000 0000 0000 0002";
const BANK = "4000 0025 0000 3155";

const card = (page, name) => page.getByRole("article", { name, exact: true });
const press = (page, name, button) => card(page, name).getByRole("button", { name: button, exact: true }).click();

/** The number next to a label on the dashboard's plan card. */
async function credits(page, kind) {
  await page.goto("/dashboard/main/dashboardmain");
  const plan = page.getByRole("region", { name: "Subscription" });
  const value = await plan.locator("div").filter({ has: page.getByText(kind, { exact: true }) }).locator("dd").last().textContent();
  return Number(value.replaceAll(",", ""));
}

/** Subscribing to another plan forfeits a cancelled one: a warning comes first, then the hosted page opens. */
async function subscribeOnHostedPage(page) {
  await page.goto("/dashboard/settings/billing");
  await page.getByRole("button", { name: "Cancel Subscription" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel Subscription" }).click();
  await page.getByText(/subscription cancelled, it ends on \d/).waitFor();
  await page.goto(PLANS);
  await press(page, "Pro Yearly", "Subscribe Now");
  const dialog = page.getByRole("dialog", { name: "Subscribe to Pro Yearly?" });
  await dialog.getByText(/paid days of Business Yearly/).waitFor();
  await dialog.getByRole("button", { name: "Keep Business Yearly" }).waitFor();
  await picture(page, "lostrest");
  await accessible(page, "what a new subscription ends");
  await dialog.getByRole("button", { name: "Subscribe anyway" }).click();
  await page.waitForURL("**/sandbox/stripe/checkout/**");
  await page.getByText("TEST MODE").waitFor();
  await page.getByRole("button", { name: /^Pay \$990/ }).click();
  await page.waitForURL("**/dashboard/paysuccess**");
  await page.getByRole("heading", { name: "Welcome to the pro yearly plan" }).waitFor();
  await picture(page, "paysuccess");
  await page.getByRole("button", { name: "Go To Dashboard" }).click();
  await page.waitForURL("**/dashboard/main/dashboardmain");
  await page.getByRole("heading", { name: "Pro Yearly" }).waitFor();
  await page.goto("/dashboard/paysuccess?plan=6");
  await page.getByRole("heading", { name: "Nothing to confirm" }).waitFor();
  await picture(page, "nopayment");
}

async function upgradeWithProration(page) {
  const before = await credits(page, "Cell Number");
  await page.goto(PLANS);
  await page.getByRole("tab", { name: "Monthly" }).click();
  await card(page, "Business").getByRole("button", { name: "Current plan" }).waitFor();
  check(await card(page, "Enterprise").getByText("∞").isVisible(), "an infinity sign for a custom price");
  await picture(page, "plans-monthly");
  await page.getByRole("tab", { name: "Yearly" }).click();
  await press(page, "Starter Yearly", "Upgrade");
  const keys = page.getByRole("dialog", { name: "API Limit Exceeded" });
  await keys.getByText("delete 1 API").waitFor();
  await keys.getByRole("button", { name: "Cancel" }).click();
  await press(page, "Business Yearly", "Upgrade");
  const dialog = page.getByRole("dialog", { name: "Upgrade to Business Yearly" });
  await dialog.getByText("Due today").waitFor();
  await picture(page, "proration");
  await accessible(page, "the proration preview");
  await dialog.getByRole("button", { name: /^Confirm and pay \$/ }).click();
  await page.getByText("Your plan was upgraded successfully").waitFor();
  await page.getByRole("heading", { level: 1, name: "Welcome to the business yearly plan" }).waitFor();
  await page.getByRole("term").filter({ hasText: "Paid today" }).waitFor();
  const [receipt] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Download invoice .* as PDF$/ }).click()]);
  check(receipt.suggestedFilename().endsWith(".pdf"), "the invoice of the upgrade");
  await picture(page, "receipt");
  await accessible(page, "the receipt of an upgrade");
  await page.goto(PLANS);
  await card(page, "Business Yearly").getByRole("button", { name: "Current plan" }).waitFor();
  check((await credits(page, "Cell Number")) > before, "more credits after the upgrade");
}

async function readInvoices(page) {
  await page.goto("/dashboard/settings/billing");
  await page.getByRole("row").filter({ hasText: "DEMO-0001" }).waitFor();
  await picture(page, "billing-full");
  await page.getByLabel("Search invoices").fill("demo-000");
  await page.getByText("no data found").waitFor();
  await page.getByLabel("Search invoices").fill("DEMO-0003");
  await page.getByRole("row").filter({ hasText: "DEMO-0001" }).waitFor({ state: "detached" });
  const row = page.getByRole("row").filter({ hasText: "DEMO-0003" });
  await row.getByRole("cell", { name: /^\d{1,2} [A-Z][a-z]{2} \d{4}$/ }).first().waitFor();

  const [download] = await Promise.all([page.waitForEvent("download"), row.getByRole("button", { name: /PDF/ }).click()]);
  check(download.suggestedFilename() === "invoice-DEMO-0003.pdf", "a file named after the invoice");
  check(readFileSync(await download.path()).subarray(0, 5).toString() === "%PDF-", "a PDF");

  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByLabel("From", { exact: true }).fill("01-01-2001");
  await page.getByLabel("To", { exact: true }).fill("31-12-2001");
  await page.getByText("no data found").waitFor();
  await page.getByLabel("To", { exact: true }).fill("31-02-2001");
  await page.getByLabel("From", { exact: true }).click();
  await page.getByText("Please enter a date as dd-MM-yyyy").waitFor();
}

async function buyAddon(page, number) {
  await page.goto("/dashboard/creditaddons");
  await press(page, "100 Cell Numbers", "Buy");
  const dialog = page.getByRole("dialog", { name: "100 Cell Numbers" });
  await dialog.getByLabel("Card number").fill(number);
  await dialog.getByLabel("Expiry").fill("12/34");
  await dialog.getByLabel("CVC").fill("123");
  await dialog.getByRole("button", { name: "Pay $25" }).click();
}

async function buyAddons(page) {
  const before = await credits(page, "Cell Number");
  await buyAddon(page, "4242 4242 4242 4241");
  await page.getByText("Your card number is invalid").waitFor();
  await picture(page, "payment");
  await accessible(page, "the payment modal");

  await buyAddon(page, DECLINED);
  await page.getByText("Payment Failed").waitFor();
  check((await credits(page, "Cell Number")) === before, "nothing for a declined card");

  await buyAddon(page, GOOD);
  await page.getByText("Payment successful! Your credits have been added.").waitFor();
  await page.waitForURL("**/dashboard/main/dashboardmain");
  check((await credits(page, "Cell Number")) === before + 100, "100 credits more");
  await page.getByText("100 Cell Numbers for $25").waitFor();

  await buyAddon(page, BANK);
  await page.getByRole("button", { name: "Fail authentication" }).click();
  await page.getByText("Payment Failed").waitFor();
  await buyAddon(page, BANK);
  await page.getByRole("button", { name: "Complete authentication" }).click();
  await page.getByText("Payment successful! Your credits have been added.").waitFor();
  check((await credits(page, "Cell Number")) === before + 200, "200 credits more");
}

async function invite(page, lastname) {
  await page.goto("/dashboard/settings/manageseats");
  await page.getByRole("button", { name: "Add member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First Name").fill("Seat");
  await dialog.getByLabel("Last Name").fill(lastname);
  await dialog.getByLabel("Email").fill(`seat.${lastname.toLowerCase()}${Date.now()}@acme-demo.com`);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await page.getByRole("row").filter({ hasText: `Seat ${lastname}` }).waitFor();
}

/** Deletes every API key of the company, as the API screen does. */
const deleteKeys = (page) =>
  page.evaluate(async () => {
    const { apiKey, sessionToken } = JSON.parse(localStorage.getItem("session")).state.session;
    const headers = { "X-API-Key": apiKey, "X-Session-Token": sessionToken, "Content-Type": "application/json" };
    const table = "/api/v2/leads/_table/apikeys";
    const { resource } = await (await fetch(table, { headers })).json();
    const gone = resource.map(({ keyid }) => ({ keyid, isactive: 0, isdeleted: 1 }));
    await fetch(table, { method: "PATCH", headers, body: JSON.stringify({ resource: gone }) });
  });

async function downgrade(page) {
  await invite(page, "Five");
  await invite(page, "Six");

  await page.goto(PLANS);
  await press(page, "Starter Yearly", "Downgrade");
  const members = page.getByRole("dialog", { name: "Member Limit Exceeded" });
  await members.getByText("delete 1 member/admin").waitFor();
  await picture(page, "memberlimit");
  await accessible(page, "the limit dialog");
  await members.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/dashboard/settings/manageseats");
  await page.getByRole("button", { name: "Delete Seat Six" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Member deleted.").waitFor();

  await page.goto(PLANS);
  await press(page, "Starter Yearly", "Downgrade");
  await page.getByRole("dialog", { name: "API Limit Exceeded" }).getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/dashboard/settings/api");
  await deleteKeys(page);

  await page.goto(PLANS);
  await press(page, "Starter Yearly", "Downgrade");
  const dialog = page.getByRole("dialog", { name: "Downgrade to Starter Yearly" });
  await dialog.getByText("It takes effect after the current billing period").waitFor();
  await picture(page, "downgrade");
  await dialog.getByRole("button", { name: "Confirm downgrade" }).click();
  await page.getByText("Your plan will be downgraded after this billing period").waitFor();
  await card(page, "Starter Yearly").getByText(/^Starts on \d/).waitFor();
  await picture(page, "downgraded");
}

/** A booked downgrade is named on the dashboard and undone in Billing, where it is shown. */
async function undoDowngrade(page) {
  await page.goto("/dashboard/main/dashboardmain");
  await page.getByText(/Changes to Starter Yearly on/).waitFor();
  await page.getByRole("link", { name: "Keep Business Yearly" }).click();
  await page.getByText(/Changes to Starter Yearly on/).waitFor();
  await accessible(page, "a booked downgrade");
  await picture(page, "downgrade-booked");
  await page.getByRole("button", { name: "Keep Business Yearly" }).click();
  await page.getByRole("dialog", { name: "Keep Business Yearly" }).getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Your plan continues").waitFor();
  await page.getByText(/^Renews on/).waitFor();
}

async function cancel(page) {
  await page.goto("/dashboard/settings/billing");
  await page.getByRole("button", { name: "Cancel Subscription" }).click();
  await picture(page, "cancel");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel Subscription" }).click();
  await page.getByText("Your plan cancelled successfully, it will be reflect after this billing period").waitFor();
  await page.getByText(/subscription cancelled, it ends on \d/).waitFor();
  check((await page.getByRole("button", { name: "Cancel Subscription" }).count()) === 0, "nothing left to cancel");

  await page.goto(PLANS);
  await card(page, "Business Yearly").getByRole("button", { name: "Subscribe Now" }).waitFor();
  check((await page.getByText("Current plan").count()) === 0, "no current plan after a cancel");
  await press(page, "Business Yearly", "Subscribe Now");
  await page.getByRole("dialog", { name: "Keep Business Yearly" }).getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Your plan continues").waitFor();
  await card(page, "Business Yearly").getByRole("button", { name: "Current plan" }).waitFor();
}

journey("billing", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await upgradeWithProration(page);
  await readInvoices(page);
  await buyAddons(page);
  await downgrade(page);
  await undoDowngrade(page);
  await cancel(page);
  await subscribeOnHostedPage(page);
});
