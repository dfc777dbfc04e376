/** Files of other programs are imported without reading a manual, in a wide window and on a phone; and a removal
 asked for in punycode leaves nobody. The folder FILES has the files of tests/data/corpus, whose people the directory has. */
import { readFile } from "node:fs/promises";
import { MEMBER, OWNER, SMALL, WIDE, accessible, check, fits, journey, picture, signIn } from "./browser.mjs";
import { mailTo } from "./mail.mjs";

const LISTED = [
  { file: "linkedin-connections.csv", people: 3, shows: "Jörg Groß Größe & Söhne GmbH linkedin.com/in/joerg-gross-31" },
  { file: "excel-de.csv", people: 2, shows: "Käthe Müller Weiß Maschinenbau AG" },
  { file: "openpyxl.xlsx", people: 3, shows: "太郎 山田 山田商事株式会社" },
];
const REMOVED = { name: "Jürgen Punycode", asked: "juergen@xn--mller-kva.example", url: "https://www.linkedin.com/in/juergen-punycode" };

/** Opens the import of a list, which is created if there is none. */
async function openList(page) {
  await page.goto("/dashboard/main/lists");
  const list = page.getByRole("link", { name: "Imports" });
  await page.getByRole("table").or(page.getByText("You have no lists yet")).first().waitFor();
  if ((await list.count()) > 0) await list.first().click();
  else {
    await page.getByRole("button", { name: "New list" }).click();
    await page.getByLabel("Name of the list").fill("Imports");
    await page.getByRole("button", { name: "Create list" }).click();
  }
  await page.getByRole("button", { name: "Import and export" }).click();
  return page.getByRole("dialog");
}

async function importInto(page, { file, people, shows }) {
  const dialog = await openList(page);
  await dialog.getByLabel("Import people").waitFor();
  await dialog.locator("input[type=file]").setInputFiles(`${process.env.FILES}/${file}`);
  await dialog.getByText(`${file} has ${people} rows.`).waitFor();
  await dialog.getByRole("listitem").filter({ hasText: shows }).scrollIntoViewIfNeeded();
  await accessible(page, `the preview of ${file}`, "[role=dialog]");
  await fits(page, `the preview of ${file}`);
  await picture(page, `imports-${file}`);
  const counts = await dialog.getByRole("status").textContent();
  const [added, present] = [/(\d+) p\w+ will be added/, /(\d+) (?:is|are) on the list/].map((text) => Number(counts.match(text)?.[1] ?? 0));
  check(added + present === people, `everybody of ${file} to be found: ${counts}`);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText(`${added} added, ${present} already on the list, 0 duplicates in the file, 0 not found.`).waitFor();
  await picture(page, `imports-done-${file}`);
}

/** A name in one word is shown for a decision before an export for Salesforce. */
async function decideName(page) {
  const dialog = await openList(page);
  await dialog.getByLabel("Export for").selectOption("Salesforce");
  const name = dialog.getByRole("group", { name: "山田太郎" });
  await name.getByLabel("First name").fill("太郎");
  await name.getByLabel(/^Last name/).fill("山田");
  await accessible(page, "a name without a clear last name", "[role=dialog]");
  await fits(page, "a name without a clear last name");
  await picture(page, "imports-names");
  const [saved] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "CSV" }).click()]);
  const file = await readFile(await saved.path(), "utf8");
  check(file.includes("太郎,山田,"), `the name as it was decided: ${file}`);
}

async function lookUp(page, { file, people }) {
  await page.goto("/dashboard/main/bulklookup");
  await page.getByLabel("CSV file").setInputFiles(`${process.env.FILES}/${file}`);
  await page.getByText(new RegExp(`\\b${people} addresses`)).waitFor();
  await fits(page, `the price of ${file}`);
  await picture(page, `imports-price-${file}`);
}

journey("imports", async (open) => {
  for (const [account, viewport] of [[OWNER, WIDE], [MEMBER, SMALL]]) {
    const page = await open({ viewport });
    await signIn(page, account);
    for (const file of LISTED) await importInto(page, file);
    await decideName(page);
    for (const file of LISTED) await lookUp(page, file);
  }
});

journey("removal in punycode", async (open) => {
  for (const viewport of [WIDE, SMALL]) {
    const page = await open({ viewport });
    await page.goto("/removal");
    await page.getByLabel("Email").fill(REMOVED.asked);
    await fits(page, "the removal form");
    await page.getByRole("button", { name: "Send confirmation link" }).click();
    await page.getByText(REMOVED.asked).waitFor();
    await picture(page, "imports-removal");
  }
  const page = await open();
  await signIn(page, OWNER);
  await page.goto(`/dashboard/main/peoplesearch?name=${encodeURIComponent(REMOVED.name)}`);
  await page.getByText(REMOVED.name).first().waitFor();
  const { text } = await mailTo(REMOVED.asked, "/api/v2/removalrequest/");
  const [link] = text.match(/\/api\/v2\/removalrequest\/\S+/);
  await page.goto(link);
  await page.getByRole("button").click();
  await picture(page, "imports-removed");
  await page.goto(`/dashboard/main/peoplesearch?name=${encodeURIComponent(REMOVED.name)}`);
  await page.getByText("No data found").waitFor();
});
