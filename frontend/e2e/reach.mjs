/** The moment after a reveal: a number is called, a card saved, and forty pasted addresses become a table with prices that fills. */
import { readFileSync } from "node:fs";
import { OWNER, SMALL, WIDE, accessible, check, fits, journey, picture, signIn } from "./browser.mjs";

const ONE = "https://www.linkedin.com/in/jane-smith-1233/";
// People of the demo that have a number and are not revealed yet.
const FORTY = [
  "ana-moreau-1200", "oscar-murphy-1201", "chiara-martin-1202", "claire-olsen-1203", "mia-schmidt-1204",
  "theo-kim-1205", "milan-brown-1206", "yuki-baker-1207", "grace-olsen-1208", "milan-martin-1209",
  "fiona-patel-1210", "leila-haddad-1211", "samira-novak-1213", "liam-maier-1214", "carla-hansen-1215",
  "maeve-mbeki-1216", "victor-torres-1217", "farah-kowalski-1218", "carla-garcia-1219", "hugo-santos-1220",
  "jose-zimmermann-1222", "hana-patel-1224", "quentin-vogel-1225", "naomi-abara-1226", "soren-nakamura-1227",
  "rafael-muller-1228", "hana-varga-1229", "ivan-yamamoto-1230", "jane-smith-1233", "felix-larsen-1234",
  "emeka-walker-1235", "ana-dubois-1236", "liam-sorensen-1237", "sara-kaya-1238", "fatima-ricci-1240",
  "amara-garcia-1241", "jonas-ito-1242", "pedro-young-1244", "samira-weber-1245", "mia-lopez-1246",
];
const URL_BOX = "Profile URL";

/** Tab until an element has the focus; the page is used without a pointer. */
async function tabTo(page, target, key = "Tab", most = 60) {
  for (let times = 0; times < most; times += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard did not reach ${target}`);
}

journey("a number is revealed, called and saved, by keyboard alone", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await page.goto("/dashboard/main/search");
  const box = page.getByLabel(URL_BOX);
  await box.waitFor();
  await tabTo(page, box);
  await page.keyboard.type(ONE);
  const kind = page.getByRole("checkbox", { name: "Cell Number" });
  await tabTo(page, kind);
  await page.keyboard.press("Space");
  await tabTo(page, box, "Shift+Tab");
  await page.keyboard.press("Enter");
  const reveal = page.getByRole("button", { name: "Reveal Cell Number" });
  await reveal.waitFor();
  await tabTo(page, reveal);
  await page.keyboard.press("Enter");
  const call = page.getByRole("link", { name: "Call", exact: true }).first();
  await call.waitFor();
  const href = await call.getAttribute("href");
  check(/^tel:\+\d{8,15}$/.test(href), `a number that a phone dials, not ${href}`);
  await tabTo(page, call);
  await accessible(page, "a number that can be called");
  await picture(page, "reach-call");
  const card = page.getByRole("button", { name: "Save vCard" });
  await tabTo(page, card);
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  check(file.suggestedFilename().endsWith(".vcf"), `a file for an address book, not ${file.suggestedFilename()}`);
  const text = readFileSync(await file.path(), "utf8");
  check(text.startsWith("BEGIN:VCARD") && text.includes(href.slice("tel:".length)), `the number on the card, not ${text}`);
});

journey("on a phone a number is a link that dials", async (open) => {
  const page = await open({ viewport: SMALL, hasTouch: true });
  await signIn(page, OWNER);
  await page.goto(`/dashboard/main/search?url=${encodeURIComponent(ONE)}&kinds=phone`);
  const call = page.getByRole("link", { name: "Call", exact: true }).first();
  await call.or(page.getByRole("button", { name: "Reveal Cell Number" })).first().waitFor();
  if (!(await call.isVisible())) await page.getByRole("button", { name: "Reveal Cell Number" }).tap();
  await call.waitFor();
  check((await call.getAttribute("href")).startsWith("tel:+"), "a link that dials");
  const { height } = await call.boundingBox();
  check(height >= 40, `a target for a finger, not ${height} px`);
  await fits(page, "a revealed number on a phone");
  await picture(page, "reach-call");
});

for (const viewport of [WIDE, SMALL]) {
  journey(`forty pasted addresses are priced and fill, at ${viewport.width}`, async (open) => {
    const half = viewport === WIDE ? FORTY.slice(0, 20) : FORTY.slice(20);
    // Twenty are not paid for yet; the other twenty are unknown and cost nothing.
    const lines = [...half, ...half.map((slug) => `${slug}-unknown`)].map((slug) => `https://www.linkedin.com/in/${slug}/`);
    const page = await open({ viewport, permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page, OWNER);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.evaluate((text) => navigator.clipboard.writeText(text), lines.join("\n"));
    await page.locator("body").press("Control+v");
    await page.waitForURL("**/bulklookup**");
    await page.getByText("40 addresses").waitFor();
    const start = page.getByRole("button", { name: /^Start lookup/ });
    await start.waitFor();
    await page.getByText(/^\d+ credits/).first().waitFor();
    await accessible(page, "the price of forty addresses");
    await picture(page, "reach-price");
    await start.click();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    const calls = page.locator("main a[href^='tel:+']");
    await calls.first().waitFor();
    check((await calls.count()) >= 5, "the numbers that were found to be in the table");
    await accessible(page, "forty addresses that were looked up");
    await fits(page, "the table of forty addresses");
    await picture(page, "reach-filled");
  });
}
