/** A day of sales: find heads of sales in two countries except at one company, save the search, reveal twenty, share them
 as a list, reveal the rest of that for a price with a limit, and export it for HubSpot. By keyboard only, except for the
 saved search. */
import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { MEMBER, OWNER, SMALL, accessible, check, fits, journey, picture, signIn, uncut } from "./browser.mjs";

const COUNTRIES = ["Germany", "France"];
const SENIORITIES = ["Head", "Director", "Vice president"];
const SEARCH = "Heads of sales, west";
const LIST = "Sales in the west";
const MANY = 20;
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
const companies = (page) => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.cells[2].querySelector("span > span").textContent));
/** Presses a button without a pointer. */
const press = async (page, button) => {
  await button.focus();
  await page.keyboard.press("Enter");
};

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
    const places = [...document.querySelectorAll("tbody tr")].map((row) => row.cells[2]?.textContent ?? "");
    return places.length > 0 && places.every((place) => countries.some((country) => place.includes(country)));
  }, COUNTRIES);
  await rowsOf(page).nth(MANY - 1).waitFor();
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

async function revealMany(page) {
  await page.evaluate(() => document.activeElement?.blur());
  for (let row = 0; row < MANY; row += 1) await page.keyboard.press("j").then(() => page.keyboard.press("x"));
  const bar = page.getByRole("group", { name: `${MANY} selected` });
  await press(page, bar.getByRole("button", { name: "Reveal" }));
  const dialog = page.getByRole("dialog", { name: `Reveal ${MANY} people` });
  await dialog.getByRole("checkbox", { name: /^Cell Number/ }).press("Space");
  await dialog.getByRole("checkbox", { name: /^Work Email/ }).press("Space");
  await page.waitForFunction(() => /Reveal for [1-9]/.test(document.querySelector("[role=dialog]")?.textContent ?? ""));
  const buy = dialog.getByRole("button", { name: /^Reveal for \d+ credits?$/ });
  const price = Number((await buy.textContent()).match(/\d+/)[0]);
  check(price > 1 && price <= MANY, `a price of 2 to ${MANY} credits, it is ${price}`);
  await press(page, buy);
  await page.getByText(`people revealed. ${price} credits were charged.`).waitFor();

  // The values are in the rows, and a row opens in place of revealing.
  const open = page.getByRole("button", { name: /^Open / });
  await open.nth(1).waitFor();
  check((await page.locator("tbody a[href^='mailto:']").count()) >= price, "an address in each row that was paid for");
  await accessible(page, "the values in the rows");
  await picture(page, "sales-revealed");
  await uncut(page, "what was revealed");
  await press(page, open.first());
  const drawer = page.getByRole("dialog");
  const name = await drawer.getByRole("heading").first().textContent();
  await drawer.getByRole("link", { name: /@/ }).first().waitFor();
  await accessible(page, "the drawer of a person");
  await picture(page, "sales-drawer");
  await page.keyboard.press("j");
  await page.waitForFunction((before) => document.querySelector("[role=dialog] h2")?.textContent !== before, name);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
}

async function share(page) {
  await press(page, page.getByRole("group", { name: /selected$/ }).getByRole("button", { name: "Add to list" }));
  const dialog = page.getByRole("dialog", { name: "Add to list" });
  await dialog.getByLabel("List", { exact: true }).selectOption("New list");
  await dialog.getByLabel("Name of the list").fill(LIST);
  await dialog.getByRole("checkbox", { name: "Share with the team" }).press("Space");
  await picture(page, "sales-list");
  await press(page, dialog.getByRole("button", { name: /^Add \d+ people$/ }));
  await page.getByText(new RegExp(`people are on “${LIST}”.`)).waitFor();
  await press(page, page.getByRole("button", { name: "Open list" }));
  await page.getByRole("heading", { level: 1, name: LIST }).waitFor();
}

/** The price of what is left is shown before, and nothing is spent above the limit. */
async function revealRest(page) {
  await press(page, page.getByRole("button", { name: "Reveal the rest" }));
  const dialog = page.getByRole("dialog", { name: /^Reveal \d+ (person|people)$/ });
  await dialog.getByRole("button", { name: /^Reveal for [1-9]\d* credits?$/ }).waitFor();
  await accessible(page, "the price of the rest", "[role=dialog]");
  await picture(page, "sales-rest");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: file.suggestedFilename(), ...Papa.parse((await readFile(await file.path(), "utf8")).trim(), { header: true }) };
}

async function exportFor(page) {
  await accessible(page, "the list");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Lists" });
  await dialog.getByLabel("Export for").selectOption("HubSpot");
  const hubspot = await download(page, () => press(page, dialog.getByRole("button", { name: "CSV" })));
  check(hubspot.name === `${LIST}.csv`, `a file called by the list, not ${hubspot.name}`);
  check(hubspot.meta.fields.join() === HUBSPOT.join(), `the columns of HubSpot, not ${hubspot.meta.fields}`);
  check(hubspot.data.length > 1 && hubspot.data.every((row) => row["Job Title"] && /@/.test(row.Email) && row["LinkedIn URL"] && COUNTRIES.includes(row["Country/Region"])), "title, e-mail, profile and the name of the country of each");

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
  await page.keyboard.press("Escape");
}

journey("sales", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await find(page);
  await keepSearch(page);
  await revealMany(page);
  await share(page);
  await revealRest(page);
  await exportFor(page);

  const colleague = await open();
  await signIn(colleague, MEMBER);
  await colleague.getByRole("link", { name: "Lists" }).click();
  await colleague.getByRole("link", { name: LIST }).click();
  await colleague.getByRole("heading", { level: 1, name: LIST }).waitFor();
  await colleague.getByRole("button", { name: /^Reveal / }).nth(1).waitFor();

  const phone = await open({ viewport: SMALL, hasTouch: true });
  await signIn(phone, OWNER);
  await phone.goto("/dashboard/main/lists");
  await phone.getByRole("link", { name: LIST }).click();
  await phone.locator("tbody a[href^='mailto:']").first().waitFor();
  await fits(phone, "a list on a phone");
  await picture(phone, "sales-list");
  await phone.locator("tbody button").first().tap();
  await phone.getByRole("dialog").getByRole("link", { name: /@/ }).first().waitFor();
  await picture(phone, "sales-drawer");
});
