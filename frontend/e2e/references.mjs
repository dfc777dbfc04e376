/** Compare screens with the pictures in e2e/references, at half the scale; `make pictures ACCEPT=1` accepts what changed.

 Text is hinted and smoothed differently from one machine to the next, so single pixels at its edges may differ. */
import { expect, test } from "@playwright/test";
import { OWNER, SMALL, WIDE, journey, signIn, twoAtATime, unfollowed } from "./browser.mjs";
import { BEFORE, INSIDE } from "./screens.mjs";
import { ARGS, CHROMIUM } from "./server.mjs";
import { STATES } from "./states.mjs";
import { APPEARANCES, appear, steady } from "./steady.mjs";

// The headless shell smooths text differently.
test.use({ launchOptions: { executablePath: CHROMIUM, args: ARGS } });

/** A quarter of the pixels keeps the repository small and hides differences in font smoothing. */
const SCALE = 0.5;
/** The appearances of a screen or state to compare at each width. */
const COMPARED = {
  login: { 1440: ["light", "dark"], 390: ["light"] },
  register: { 1440: ["light"] },
  dashboardmain: { 1440: ["light", "dark"], 390: ["light", "dark"] },
  search: { 1440: ["light"] },
  "search-found": { 1440: ["light", "dark"], 390: ["light"] },
  mycontacts: { 1440: ["light", "dark"], 390: ["light"] },
  "mycontacts-drawer": { 1440: ["light"] },
  "mycontacts-selected": { 1440: ["light", "dark", "forced"] },
  bulklookup: { 1440: ["light"] },
  myaccount: { 1440: ["light"] },
  password: { 1440: ["light"] },
  manageseats: { 1440: ["light"], 390: ["light"] },
  billing: { 1440: ["light", "dark"], 390: ["light"] },
  upgradeplan: { 1440: ["light", "forced"], 390: ["light"] },
  creditaddons: { 1440: ["light"] },
  payfail: { 1440: ["light"], 390: ["dark"] },
  palette: { 1440: ["light", "dark"] },
};
/** Parts that depend on the calendar: the chart of the dashboard, its total, and the number of the period. */
const CALENDAR = 'figure, header[role="presentation"] p:has([role="status"]), [class*="_stats_"] > :last-child';

const appearancesOf = (name, { width }) => COMPARED[name]?.[width] ?? [];

async function compare(page, name) {
  await steady(page);
  for (const appearance of appearancesOf(name, page.viewportSize())) {
    await appear(page, APPEARANCES[appearance]);
    await expect.soft(page).toHaveScreenshot(`${name}-${appearance}-${page.viewportSize().width}.png`, {
      mask: [page.locator(CALENDAR)],
    });
  }
}

async function compareScreen(page, [name, path, heading]) {
  await page.emulateMedia(APPEARANCES.light);
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  await compare(page, name);
}

async function compareState(open, options, [name, path, steps]) {
  const page = await open(options);
  await unfollowed(page);
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await steps(page);
  await page.mouse.move(0, 0);
  await compare(page, name);
  await page.context().close();
}

for (const viewport of [WIDE, SMALL]) {
  const compared = ([name]) => appearancesOf(name, viewport).length > 0;
  const options = { viewport, deviceScaleFactor: SCALE, locale: "en-US", timezoneId: "UTC" };

  journey(`references at ${viewport.width}`, async (open) => {
    const page = await open(options);
    await unfollowed(page);
    for (const screen of BEFORE.filter(compared)) await compareScreen(page, screen);
    await signIn(page, OWNER);
    const storageState = await page.context().storageState();
    for (const screen of INSIDE.filter(compared)) await compareScreen(page, screen);
    await twoAtATime(STATES.filter(compared), (state) => compareState(open, { ...options, storageState }, state));
  });
}
