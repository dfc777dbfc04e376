/** A day of sales: find heads of sales in two countries except at one company, save the search, reveal ten with a price
 limit, share them as a list, and export that for HubSpot. The filters are set by keyboard only. */
import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { MEMBER, OWNER, accessible, check, journey, picture, signIn, uncut } from "./browser.mjs";

const COUNTRIES = ["Germany", "France"];
const SENIORITIES = ["Head", "Director", "Vice president"];
const SEARCH = "Heads of sales, west";
const LIST = "Sales in the west";
const TEN = 10;
const HUBSPOT = ["First Name", "Last Name", "Email", "Phone Number", "Company Name", "Company Domain Name", "Job Title", "City", "Country/Region", "LinkedIn URL"];

const fieldOf = (page, name) => page.getByRole("search").getByRole("combobox", { name, exact: true });

/** Tabs to a field; fails when it cannot be reached. */
async function tabTo(page, field) {
  for (let stops = 0; stops < 80; stops += 1) {
    if (await field.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`expected Tab to reach ${field}`);
}

async function type(page, name, values) {
  await tabTo(page, fieldOf(page, name));
  for (const value of values) {
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Exclude ${value}` }).waitFor();
  }
}

const rowsOf = (page) => page.getByRole("region", { name: "People Search" }).getByRole("row").filter({ has: page.getByRole("button", { name: /^Reveal / }) });
const companies = (page) => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.cells[2].textContent));

async function find(page) {
  await page.getByRole("link", { name: "People Search" }).click();
  await page.getByRole("heading", { level: 1, name: "People Search" }).waitFor();
  await page.getByLabel("Name", { exact: true }).focus();
  await type(page, "Seniority", SENIORITIES);
  await type(page, "Function", ["Sales"]);
  await rowsOf(page).first().waitFor();
  const [company] = await companies(page);
  await type(page, "Company", [company]);
  const exclude = page.getByRole("button", { name: `Exclude ${company}` });
  await tabTo(page, exclude).catch(() => exclude.focus());
  await page.keyboard.press("Space");
  await page.waitForFunction((name) => document.querySelector(`[aria-label="Exclude ${name}"]`)?.getAttribute("aria-pressed") === "true", company);
  await type(page, "Country", COUNTRIES);
  // The network does not become idle while the page follows changes.
  await page.waitForFunction((countries) => {
    const places = [...document.querySelectorAll("tbody tr")].map((row) => row.cells[3]?.textContent ?? "");
    return places.length > 0 && places.every((place) => countries.some((country) => place.includes(country)));
  }, COUNTRIES);
  await rowsOf(page).nth(TEN - 1).waitFor();
  check(!(await companies(page)).includes(company), `nobody of ${company}`);
  await accessible(page, "the people that were found");
  await picture(page, "sales-found");
}

async function keepSearch(page) {
  await page.getByRole("button", { name: "Saved searches" }).click();
  await page.getByLabel("Save this search as").fill(SEARCH);
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByText("The search is saved.").waitFor();
}

async function revealTen(page) {
  for (let row = 0; row < TEN; row += 1) await rowsOf(page).nth(row).getByRole("checkbox").check();
  const bar = page.getByRole("group", { name: `${TEN} selected` });
  await bar.getByRole("button", { name: "Reveal" }).click();
  const dialog = page.getByRole("dialog", { name: `Reveal ${TEN} people` });
  await dialog.getByRole("checkbox", { name: /^Cell Number/ }).uncheck();
  await dialog.getByRole("checkbox", { name: /^Work Email/ }).check();
  const buy = dialog.getByRole("button", { name: /^Reveal for \d+ credits?$/ });
  await page.waitForFunction(() => /Reveal for [1-9]/.test(document.querySelector("[role=dialog]")?.textContent ?? ""));
  const price = Number((await buy.textContent()).match(/\d+/)[0]);
  check(price > 1 && price <= TEN, `a price of 2 to ${TEN} credits, it is ${price}`);

  // Below the price nothing is bought, and the reason is given in words.
  await dialog.getByLabel("Spend at most").fill(String(price - 1));
  await buy.click();
  await dialog.getByText("more than you want to spend. Nothing was charged.").waitFor();
  await picture(page, "sales-ceiling");
  await dialog.getByLabel("Spend at most").fill(String(price));
  await buy.click();
  await dialog.getByText(/people revealed$/).waitFor();
  await dialog.getByText(`${price} credits were charged.`).waitFor();
  await picture(page, "sales-revealed");
  await uncut(page, "what was revealed");
  await dialog.getByRole("button", { name: "Add to list" }).click();
}

async function share(page) {
  const dialog = page.getByRole("dialog", { name: "Add to list" });
  await dialog.getByLabel("List", { exact: true }).selectOption("New list");
  await dialog.getByLabel("Name of the list").fill(LIST);
  await dialog.getByRole("checkbox", { name: "Share with the team" }).check();
  await picture(page, "sales-list");
  await dialog.getByRole("button", { name: /^Add \d+ people$/ }).click();
  await page.getByText(/people are on the list\.$/).waitFor();
}

async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  return Papa.parse((await readFile(await file.path(), "utf8")).trim(), { header: true });
}

async function exportFor(page) {
  await page.getByRole("button", { name: "Lists" }).click();
  const dialog = page.getByRole("dialog", { name: "Lists" });
  await dialog.getByLabel("List", { exact: true }).selectOption(LIST);
  await dialog.getByLabel("Export for").selectOption("HubSpot");
  const hubspot = await download(page, () => dialog.getByRole("button", { name: "CSV" }).click());
  check(hubspot.meta.fields.join() === HUBSPOT.join(), `the columns of HubSpot, not ${hubspot.meta.fields}`);
  check(hubspot.data.length > 1 && hubspot.data.every((row) => row["Job Title"] && /@/.test(row.Email) && row["LinkedIn URL"]), "title, e-mail and profile of each");

  // A spreadsheet has the ticked columns.
  await dialog.getByLabel("Export for").selectOption("A spreadsheet");
  await dialog.getByText("6 columns").click();
  await dialog.getByRole("checkbox", { name: "Country" }).uncheck();
  await dialog.getByRole("checkbox", { name: "Domain" }).check();
  await accessible(page, "the lists", "[role=dialog]");
  await picture(page, "sales-columns");
  const plain = await download(page, () => dialog.getByRole("button", { name: "CSV" }).click());
  check(plain.meta.fields.join() === "full_name,title,company,company_domain,email,phone", `the ticked columns, not ${plain.meta.fields}`);
  check(plain.data.length === hubspot.data.length, "the same people in both files");
}

journey("sales", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await find(page);
  await keepSearch(page);
  await revealTen(page);
  await share(page);
  await exportFor(page);

  const colleague = await open();
  await signIn(colleague, MEMBER);
  await colleague.goto("/dashboard/main/peoplesearch");
  await colleague.getByRole("button", { name: "Lists" }).click();
  await colleague.getByLabel("List", { exact: true }).selectOption(LIST);
});
