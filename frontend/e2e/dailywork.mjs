/** A day at work: reveal, copy, vote, list, export; then an API key from creation to deletion. The exported sheets are
 kept in the folder SHEETS, if that is set, for manual inspection. */
import { KINDS, OWNER, SMALL, WIDE, accessible, ask, check, journey, picture, signIn, uncut } from "./browser.mjs";

const PEOPLE = ["mona-rossi-1989", "tara-johnson-1986", "ruth-smith-1985", "leila-maier-1984", "paula-torres-1981"];
const ONE_KIND = /^Reveal (Cell|Work|Secondary)/;
const DIALOG = "[role=dialog]";
const THANKS = "Thanks! Your feedback has been submitted.";

async function searchUnknown(page) {
  for (const person of PEOPLE) {
    await ask(page, person);
    await page.getByRole("button", { name: "Search" }).click();
    const found = page.getByRole("heading", { name: /^[^a-z]+$/, level: 2 }).or(page.getByText("No contact details found."));
    await found.first().waitFor();
    if ((await page.getByRole("button", { name: ONE_KIND }).count()) === KINDS.length) return person;
  }
  throw new Error("everybody has been revealed already: start with a fresh demo");
}

async function keep(page, act) {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  if (process.env.SHEETS) await file.saveAs(`${process.env.SHEETS}/${file.suggestedFilename()}`);
  return file.suggestedFilename();
}

async function toastGone(page, text) {
  await page.getByText(text).waitFor();
  await page.getByText(text).waitFor({ state: "detached" });
}

async function revealAndVote(page) {
  await searchUnknown(page);
  for (const kind of KINDS) {
    await page.getByRole("button", { name: `Reveal ${kind}` }).click();
    await page.getByRole("button", { name: `Reveal ${kind}` }).waitFor({ state: "detached" });
  }
  const card = page.getByRole("article");
  await card.getByRole("button", { name: /^Copy/ }).first().click();
  await toastGone(page, "Successfully copied!");
  await card.getByRole("button", { name: /^Flag .*@/ }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Others" }).check();
  await dialog.getByLabel("Note").fill("belongs to somebody else");
  await dialog.getByRole("button", { name: "Submit" }).click();
  await toastGone(page, THANKS);
  return card.getByRole("heading", { level: 2 }).textContent();
}

async function exportTwo(page, name) {
  await page.getByRole("link", { name: "My Contacts" }).click();
  const box = page.getByRole("textbox", { name: "Search contacts" });
  for (const text of [name, "=1+1"]) {
    await box.fill(text);
    const row = page.getByRole("row").filter({ hasText: new RegExp(text.replace(/[+=]/g, "\\$&"), "i") });
    await row.first().getByRole("checkbox").check();
  }
  await page.setViewportSize(SMALL);
  await uncut(page, "the bar of a selection");
  await page.setViewportSize(WIDE);
  await page.getByRole("columnheader", { name: "Phone" }).waitFor(); // the bar moves once the list becomes a table
  await picture(page, "mycontacts-selected");
  const file = await keep(page, () => page.getByRole("button", { name: "Export Excel" }).click());
  check(file === "mycontacts.xlsx", `mycontacts.xlsx, not ${file}`);
}

async function createKey(page) {
  await page.goto("/dashboard/settings/api");
  await page.getByRole("button", { name: "Create API key" }).click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByLabel("Key Name");
  await page.waitForFunction(() => [...document.querySelectorAll("input[readonly]")].some(({ value }) => value.length === 16));
  const key = await name.inputValue();
  check(/^[A-Za-z0-9]{16}$/.test(key), `a key name of 16 characters, not ${key}`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Please enter a purpose").waitFor();
  await dialog.getByLabel("Purpose").fill("Journey");
  await dialog.getByLabel("Password").fill(OWNER.password);
  await picture(page, "api-create");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("API key created successfully!").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: key }).waitFor();
  return key;
}

async function tryOut(page, key) {
  await page.getByRole("button", { name: "Try out" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API Key").fill(key);
  await dialog.getByLabel("LinkedIn URL").fill("https://www.linkedin.com/in/dara-meyer-1979/");
  await dialog.getByRole("button", { name: "Fetch Business Emails" }).click();
  await dialog.getByText('"full_name": "Dara Meyer"').waitFor();
  await picture(page, "api-tryout");
  await accessible(page, "the try-out", DIALOG);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

async function usageOf(page, key) {
  await page.goto("/dashboard/settings/usage?tab=api");
  const row = page.getByRole("row").filter({ hasText: key });
  await row.waitFor();
  return row.getByRole("cell").allTextContents();
}

async function lookUpMany(page) {
  await page.goto("/dashboard/main/search");
  await page.getByRole("link", { name: "Bulk lookup" }).click();
  const lines = ["linkedinurl", "linkedin.com/in/ivan-kim-1988", "https://www.linkedin.com/in/nobody-at-all/", "not an address"];
  await page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) });
  await page.getByText("3 addresses").waitFor();
  await picture(page, "bulk-price");
  await accessible(page, "the price of a bulk look-up");
  await page.getByRole("button", { name: "Start lookup" }).click();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.getByText("No profile address", { exact: true }).waitFor();
  await picture(page, "bulk-done");
  const file = await keep(page, () => page.getByRole("button", { name: "Download result" }).click());
  check(file === "bulklookup.xlsx", `bulklookup.xlsx, not ${file}`);
}

journey("dailywork", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  const file = await keep(page, () => page.getByRole("link", { name: "Download Extension" }).first().click());
  check(file === "extension.zip", `extension.zip, not ${file}`);

  await exportTwo(page, await revealAndVote(page));

  const key = await createKey(page);
  await tryOut(page, key);
  await page.getByRole("button", { name: "How to use" }).click();
  await page.getByRole("tab", { name: "Python" }).click();
  await picture(page, "api-howto");
  await accessible(page, "the documentation of the API", DIALOG);
  const [method, , calls, overage] = await usageOf(page, key);
  check([method, calls, overage].join() === "GET,1,0", `one call in the usage, not ${calls}`);

  await page.goto("/dashboard/settings/usage");
  await page.getByRole("button", { name: /revealed by Max Member$/ }).click();
  const dialog = page.getByRole("dialog");
  check((await dialog.getByRole("row").count()) <= 11, "at most ten contacts on a page");
  await dialog.getByRole("button", { name: "Last page" }).click();
  await picture(page, "usage-contacts");
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.goto("/dashboard/settings/api");
  await page.getByRole("button", { name: "Delete Journey" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("API key deleted successfully!").waitFor();
  await page.getByRole("row").filter({ hasText: key }).waitFor({ state: "detached" });

  await lookUpMany(page);
});
