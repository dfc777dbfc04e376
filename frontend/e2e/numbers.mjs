/** Every screen shows the same numbers: people revealed, credits, seats, keys and calls, before and after a reveal. */
import { expect } from "@playwright/test";
import { MEMBER, OWNER, check, journey, signIn, unfollowed } from "./browser.mjs";

const KINDS = ["Cell Number", "Work Email", "Secondary Email"];
const numbersIn = (text) => (text.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(",", "")));

async function visit(page, path, heading) {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
}

const textOf = (locator) => locator.first().innerText();

/** Fails with the screens and their numbers unless all are equal. */
function agree(question, answers) {
  const different = new Set(Object.values(answers).map(String)).size;
  check(different === 1, `one answer to "${question}", not ${JSON.stringify(answers)}`);
}

/** The numbers of the dashboard: free seats and keys, calls, balances in the card and in the sidebar. */
async function dashboard(page) {
  await visit(page, "/dashboard/main/dashboardmain", /^Good to see you/);
  const card = (name) => page.getByRole("region", { name, exact: true });
  const [seats, allSeats] = numbersIn(await textOf(card("Seats")));
  const [keys, allKeys] = numbersIn(await textOf(card("API Calls")));
  const [calls] = numbersIn(await textOf(card("API Calls").getByText(/calls this month/)));
  return { seats: [seats, allSeats], keys: [keys, allKeys], calls, credits: await balances(card("Subscription")), sidebar: await balances(card("Credits left")) };
}

async function balances(region) {
  const lines = (await textOf(region)).split("\n");
  return KINDS.map((kind) => numbersIn(lines[lines.indexOf(kind) + 1])[0]);
}

/** People revealed in a number of days, by the user or by the team, as the dashboard counts them. */
async function revealed(page, whose, days) {
  await visit(page, "/dashboard/main/dashboardmain", /^Good to see you/);
  const chart = page.getByRole("region", { name: "Revealed contacts" });
  for (const choice of [whose, `Last ${days} days`]) {
    const option = chart.getByText(choice, { exact: true });
    if (await option.count()) await option.first().click();
  }
  // The table for screen readers has a row for each day of the displayed response.
  const shown = whose === "Team" ? /revealed by your team$/ : /revealed by you$/;
  await chart.getByText(shown).waitFor();
  await expect(chart.locator("tbody tr")).toHaveCount(days);
  return numbersIn(await textOf(chart.getByText(shown)))[0];
}

/** The same people in My Contacts: those of the user, or of the team. */
async function listed(page, whose, days) {
  await visit(page, `/dashboard/main/mycontacts?days=${days}${whose === "Team" ? "&by=team" : ""}`, "My Contacts");
  await page.getByRole("row").nth(1).waitFor();
  return numbersIn(await textOf(page.getByText(/^[\d,]+ contacts?\b/)))[0];
}

async function compare(page) {
  const home = await dashboard(page);

  await visit(page, "/dashboard/settings/manageseats", "Manage Seats");
  const [used, of, left] = numbersIn(await textOf(page.getByText(/^Seats used/)));
  const available = numbersIn(await textOf(page.getByText(/seats? available/)))[0];
  await visit(page, "/dashboard/settings/billing", "Billing");
  const billing = numbersIn(await textOf(page.getByText(/\d+ of \d+ · \d+ left/)));
  agree("How many seats are free?", { dashboard: home.seats[0], "manage seats": left, "manage seats, badge": available, billing: billing[2] });
  agree("How many seats are there?", { dashboard: home.seats[1], "manage seats": of, "used and left": used + left, billing: billing[1] });

  await visit(page, "/dashboard/settings/api", "API keys");
  const keysLeft = numbersIn(await textOf(page.getByText(/keys? left$/)))[0];
  const made = page.getByRole("button", { name: /^Copy demo/ });
  await made.first().waitFor();
  agree("How many keys are free?", { dashboard: home.keys[0], "API keys": keysLeft, "rows of the table": home.keys[1] - (await made.count()) });
  const calls = numbersIn(await textOf(page.getByText("Calls this month", { exact: true }).first().locator("xpath=..")))[0];
  await visit(page, "/dashboard/settings/usage?tab=api", "Usage");
  const used2 = numbersIn(await textOf(page.getByText("Calls", { exact: true }).first().locator("xpath=..")))[0];
  agree("How many calls were there this month?", { dashboard: home.calls, "API keys": calls, usage: used2 });

  await visit(page, "/dashboard/main/search", "Search");
  const chips = [];
  for (const kind of KINDS) chips.push(numbersIn(await textOf(page.locator("label", { has: page.getByRole("checkbox", { name: kind }) })))[0]);
  await visit(page, "/dashboard/settings/creditledger", "Credit ledger");
  const ledger = [];
  for (const kind of ["contactcredit", "bus_email_credits", "personal_email_credits"]) {
    await visit(page, `/dashboard/settings/creditledger?kind=${kind}`, "Credit ledger");
    ledger.push(numbersIn(await textOf(page.getByRole("row").filter({ has: page.getByRole("cell") }).filter({ hasText: /\d{2}:\d{2}/ }).first().getByRole("cell").last()))[0]);
  }
  agree("How many credits are left?", { dashboard: home.credits, sidebar: home.sidebar, search: chips, ledger });

  await people(page, ["Me", "Team"]);
}

async function people(page, askers) {
  for (const whose of askers)
    for (const days of [7, 30, 90])
      agree(`How many people were revealed in ${days} days (${whose})?`, { dashboard: await revealed(page, whose, days), "my contacts": await listed(page, whose, days) });
}

journey("numbers", async (open) => {
  const page = await open();
  await unfollowed(page);
  await signIn(page, OWNER);
  await compare(page);

  const before = await dashboard(page);
  await visit(page, "/dashboard/main/search", "Search");
  await page.getByRole("button", { name: /Mia|Karin|Hugo|→/ }).or(page.locator("main button, main a").filter({ hasText: " · " })).first().click();
  const all = page.getByRole("button", { name: /^Reveal all/ });
  const [price] = numbersIn(await textOf(all));
  await all.click();
  // The kinds are revealed one after another.
  await expect(page.getByRole("button", { name: /^Reveal/ })).toHaveCount(0);
  await page.waitForLoadState("networkidle");
  const after = await dashboard(page);
  const spent = before.credits.reduce((sum, left, index) => sum + left - after.credits[index], 0);
  check(spent === price, `the price of ${price} credits to be spent, not ${spent}`);
  await compare(page);

  const member = await open();
  await unfollowed(member);
  await signIn(member, MEMBER);
  await people(member, ["Me"]);
});
