/** The main job: sign in, search a profile, reveal each kind once, find it under My Contacts, export it, sign out. */
import { statSync } from "node:fs";
import { KINDS, MEMBER, OWNER, WIDE, ask, check, journey, picture, signIn, signOut } from "./browser.mjs";

// Sample people with data of every kind; the journey uses the first one not revealed yet.
const PEOPLE = [
  "dara-meyer-1979",
  "felix-flores-1980",
  "paula-torres-1981",
  "leila-maier-1984",
  "ruth-smith-1985",
  "tara-johnson-1986",
  "ivan-kim-1988",
];
const ONE_KIND = /^Reveal (Cell|Work|Secondary)/;

async function credits(page) {
  const box = page.getByRole("region", { name: "Credits left" });
  await box.waitFor();
  const values = await box.getByRole("definition").allTextContents();
  return values.map((text) => Number(text.replaceAll(",", "")));
}

async function search(page, person) {
  await ask(page, person);
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("heading", { name: /^[^a-z]+$/, level: 2 }).waitFor();
}

/** Searches until it finds a person with every kind left to reveal. */
async function searchUnknown(page) {
  for (const person of PEOPLE) {
    await search(page, person);
    if ((await page.getByRole("button", { name: ONE_KIND }).count()) === KINDS.length) return person;
  }
  throw new Error("everybody has been revealed already: start with a fresh demo");
}

async function revealAll(page) {
  for (const kind of KINDS) {
    await page.getByRole("button", { name: `Reveal ${kind}` }).click();
    await page.getByRole("button", { name: `Reveal ${kind}` }).waitFor({ state: "detached" });
  }
}

/** Fails if a column header is not above its values, in a window that is narrower than the table. */
async function headsAbove(page) {
  await page.setViewportSize({ width: 1000, height: 800 });
  const apart = await page.getByRole("table").evaluate(({ tHead, tBodies }) => {
    const [head, values] = [tHead.rows[0].cells, tBodies[0].rows[0].cells];
    return [...head].map((cell, index) => Math.round(cell.getBoundingClientRect().left - values[index].getBoundingClientRect().left));
  });
  check(apart.length > 5 && apart.every((pixels) => pixels === 0), `each head above its values, not ${apart} px beside them`);
  await page.setViewportSize(WIDE);
}

journey("contacts", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  const before = await credits(page);

  const person = await searchUnknown(page);
  await page.getByText("+**********").first().waitFor();
  await revealAll(page);
  const spent = await credits(page);
  check(spent.every((left, index) => left === before[index] - 1), `one credit of each kind to go: ${before} became ${spent}`);
  const name = await page.getByRole("article").getByRole("heading", { level: 2 }).textContent();

  await search(page, person);
  check((await page.getByRole("button", { name: ONE_KIND }).count()) === 0, "nothing left to reveal at the second search");
  check((await page.getByText("*****@****.***").count()) === 0, "no mask at the second search");
  check(String(await credits(page)) === String(spent), "the second look to be free");

  await page.getByRole("link", { name: "My Contacts" }).click();
  await page.getByRole("textbox", { name: "Search contacts" }).fill(name);
  await page.waitForURL("**/mycontacts?search=*");
  const row = page.getByRole("row").filter({ hasText: new RegExp(name, "i") });
  await row.getByText("@").first().waitFor();
  await headsAbove(page);
  check(await page.getByRole("button", { name: "Export Excel" }).isDisabled(), "no export before a selection");
  await row.first().getByRole("checkbox").check();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export Excel" }).click()]);
  check(file.suggestedFilename() === "mycontacts.xlsx", `mycontacts.xlsx, not ${file.suggestedFilename()}`);
  check(statSync(await file.path()).size > 1000, "a sheet with something in it");

  await row.first().getByRole("button", { name: "Upvote" }).click();
  await page.getByText("Thanks! Your feedback has been submitted.").waitFor();

  await page.reload();
  await row.first().and(page.locator(":has([aria-pressed=true])")).waitFor();
  check((await row.first().getByRole("button", { name: "Upvote" }).getAttribute("aria-pressed")) === "true", "the vote to be there after a reload");
  const marks = await row.first().getByRole("img", { name: "You upvoted this" }).count();
  check(marks >= KINDS.length, `a mark at each value of the row, not ${marks}`);
  await picture(page, "mycontacts-voted");
  await search(page, person);
  await page.getByRole("article").locator("[aria-pressed=true]").first().waitFor();

  const colleague = await open();
  await signIn(colleague, MEMBER);
  const shared = await credits(colleague);
  await search(colleague, person);
  check((await colleague.getByRole("button", { name: ONE_KIND }).count()) === 0, "the colleague to see what the company has paid for");
  check(String(await credits(colleague)) === String(shared), "the colleague's look to be free");

  await signOut(page);
  await page.goto("/dashboard/main/search");
  await page.waitForURL("**/login");
});
