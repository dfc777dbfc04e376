/** How soon a screen can be used and how much it jumps, with a processor four times slower than this one. In: the
 address of a running demo. Out: a table; exit code 1 where the best of three runs is over the budget of the design.

   node tools/vitals.mjs http://127.0.0.1:8000

 Everything is measured by the page itself: to ask a slowed page from outside takes up to a second of its processor.
*/
import { chromium } from "@playwright/test";
import { signIn } from "../e2e/browser.mjs";
import { HEADLESS, OWNER, WIDE } from "../e2e/server.mjs";

const BASE = process.argv[2] ?? "http://127.0.0.1:8000";

const SLOWER = 4;
const RUNS = 3;
const BUDGET = { interactive: 1500, shift: 0.05 };
// Every screen has come to rest long before.
const WATCHED = 5000;

/** The control of a screen, as a selector and the text that it shows. */
const SCREENS = [
  { name: "login", path: "/login", signedIn: false, control: ["form button[type=submit]", "Login"] },
  { name: "dashboard", path: "/dashboard/main/dashboardmain", signedIn: true, control: ["main [role=button], main button", "Upgrade"] },
  { name: "search", path: "/dashboard/main/search", signedIn: true, control: ["main form input", ""] },
  { name: "mycontacts", path: "/dashboard/main/mycontacts", signedIn: true, control: ["main tbody tr input[type=checkbox]", ""] },
];

/** Notes when the control can be used, the long tasks of the main thread, and what jumped without anybody having touched it. */
function observe([selector, text]) {
  const seen = { usable: 0, rest: 0, shift: 0 };
  const shows = (element) => element.textContent.trim() === text && !element.disabled && element.checkVisibility();
  const look = () => {
    if ([...document.querySelectorAll(selector)].some(shows)) requestIdleCallback(() => (seen.usable = performance.now()), { timeout: 5000 });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const notes = {
    longtask: ({ startTime, duration }) => (seen.rest = startTime + duration),
    "layout-shift": ({ hadRecentInput, value }) => (seen.shift += hadRecentInput ? 0 : value),
  };
  for (const [type, note] of Object.entries(notes)) new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  window.seen = seen;
}

const bestOf = (times) => `${Math.min(...times)} ms (${times.join(", ")})`;

/** A first visit: nothing cached. Interactive is when the control can be used and no long task follows. */
async function visit(browser, { path, signedIn, control }) {
  const context = await browser.newContext({ baseURL: BASE, viewport: WIDE });
  try {
    const page = await context.newPage();
    if (signedIn) await signIn(page, OWNER);
    await page.addInitScript(observe, control);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.goto(path, { waitUntil: "commit" });
    await page.waitForTimeout(WATCHED);
    const { usable, rest, shift } = await page.evaluate(() => window.seen);
    if (usable === 0) throw new Error(`${path} cannot be used after ${WATCHED} ms`);
    return { usable, interactive: Math.max(usable, rest), shift };
  } finally {
    await context.close();
  }
}

const browser = await chromium.launch({ executablePath: HEADLESS, args: ["--no-sandbox"] });
try {
  console.log("| Screen | Usable, best of 3 (all) | Interactive | Layout shift, worst of 3 |\n| --- | --- | --- | --- |");
  for (const screen of SCREENS) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await visit(browser, screen));
    const [usable, interactive] = ["usable", "interactive"].map((name) => runs.map((run) => Math.round(run[name])));
    const best = Math.min(...interactive);
    const shift = Math.max(...runs.map((run) => run.shift));
    console.log(`| ${screen.name} | ${bestOf(usable)} | ${bestOf(interactive)} | ${shift.toFixed(3)} |`);
    if (best > BUDGET.interactive || shift > BUDGET.shift) process.exitCode = 1;
  }
} finally {
  await browser.close();
}
