/** Helpers for all journeys: watched pages, checks with readable failures, sign-in, axe, pictures. */
import { AxeBuilder } from "@axe-core/playwright";
import { test } from "@playwright/test";
import { mkdirSync } from "node:fs";
import { BASE, TIMEOUT, WIDE, WIDTHS } from "./server.mjs";
import { settled } from "./steady.mjs";

export { BASE, CHROMIUM, MEMBER, NARROW, OWNER, SMALL, WIDE } from "./server.mjs";

// Errors that a journey causes on purpose are logged by the browser's console, but are not errors of the app.
const REFUSED = /the server responded with a status of 4\d\d/;

/** A journey. `open` returns a page in its own context; any error on one of these pages fails the journey.

 Options are those of a context, and `hosts`: the other hosts that the page may ask. */
export function journey(name, walk) {
  test(name, async ({ browser }) => {
    const faults = [];
    await walk(async ({ hosts = [], ...options } = {}) => {
      // The configured options apply to the browser's default context only. A service worker would take over in the
      // middle of a slow page; the journey `offline` allows it.
      const usual = { baseURL: BASE, viewport: WIDE, reducedMotion: "reduce", acceptDownloads: true, serviceWorkers: "block" };
      const context = await browser.newContext({ ...usual, ...options });
      context.setDefaultTimeout(TIMEOUT);
      const page = await context.newPage();
      watch(page, faults, [new URL(BASE).host, ...hosts]);
      return page;
    });
    check(faults.length === 0, `nothing went wrong on the way:\n  ${faults.join("\n  ")}`);
  });
}

function watch(page, faults, hosts) {
  page.on("pageerror", (error) => faults.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !REFUSED.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !hosts.includes(new URL(request.url()).host)) faults.push(`outside: ${request.url()}`);
  });
}

/** Runs a step for each item, two at a time: one continues while the other waits for its network to become idle. */
export async function twoAtATime(items, each) {
  const left = items[Symbol.iterator]();
  const work = async () => {
    for (const item of left) await each(item);
  };
  await Promise.all([work(), work()]);
}

export function check(holds, text) {
  if (!holds) throw new Error(`expected ${text}`);
}

/** Sends the form of the sign-in page, whatever the answer is. */
export async function logIn(page, { email, password }) {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Login", exact: true }).click();
}

export async function signIn(page, user) {
  await logIn(page, user);
  await page.waitForURL("**/dashboard/main/dashboardmain");
  // The address changes before the screen: until then, the heading and the keys are those of the sign-in page.
  await page.getByRole("button", { name: "Login", exact: true }).waitFor({ state: "detached" });
}

export async function signOut(page) {
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign Out" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign Out" }).click();
  await page.waitForURL("**/login");
}

export const KINDS = ["Cell Number", "Work Email", "Secondary Email"];

/** Fills in the search for every kind of contact data of a person. */
export async function ask(page, person) {
  await page.goto("/dashboard/main/search");
  await page.getByLabel("Profile URL").fill(`https://www.linkedin.com/in/${person}/`);
  for (const kind of KINDS) await page.getByRole("checkbox", { name: kind }).check();
}

/** Rejects the change streams of a context's pages, because an open one keeps the network busy.

 Not by a route: with one, Chromium has no cache and loads the app again for each address. */
export const unfollowed = (page) =>
  page.context().addInitScript(() => {
    const send = window.fetch;
    window.fetch = (address, options) => (String(address).includes("/_changes") ? Promise.resolve(Response.json({}, { status: 404 })) : send(address, options));
  });

/** Rules that axe leaves out unless asked: text that only looks like a heading, tables, and targets below 24 px. */
export const ALSO = Object.fromEntries(["p-as-heading", "table-fake-caption", "td-has-header", "target-size"].map((rule) => [rule, { enabled: true }]));

/** Fails with the violations that axe finds on the current page, or in a part of it; `rules` enables extra rules. */
export const accessible = (page, what, part = "html", rules = {}) => clean(page, what, part, { rules });

/** Fails where text does not stand out from its background: all that another color scheme can change. */
export const contrasting = (page, what) => clean(page, what, "html", { runOnly: ["color-contrast", "link-in-text-block"] });

/** The check for a color scheme: everything in light, and in dark what can differ. */
export const checkOf = (scheme) => (scheme === "light" ? accessible : contrasting);

async function clean(page, what, part, options) {
  // Skipping frames of other origins and the list of passed rules takes a third of the time. Axe itself, half a megabyte,
  // is loaded into a page once.
  await settled(page);
  const loaded = page.frames().length === 1 && (await page.evaluate(() => "axe" in window));
  const axe = new AxeBuilder({ page, axeSource: loaded ? ";" : undefined }).include(part).setLegacyMode().options({ resultTypes: ["violations"], preload: false, ...options });
  const { violations } = await axe.analyze();
  const places = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(" | ")}`);
  check(places.length === 0, `${what} to be clean for axe:\n  ${places.join("\n  ")}`);
}

/** Fails when the text of a button does not fit into it. Text for screen readers only is one pixel wide. */
export async function uncut(page, what) {
  const cut = await page.evaluate(() => {
    const parts = document.querySelectorAll(":is(button, a[role=button]), :is(button, a[role=button]) span");
    return [...parts]
      .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible")
      .map((part) => part.textContent);
  });
  check(cut.length === 0, `no button of ${what} to cut its text: ${cut.join(" | ")}`);
}

/** Milliseconds that a layout may take on a busy machine. */
const LAYOUT = 5_000;

/** Fails when the page is wider than its window, or a button cuts off its text. */
export async function fits(page, what) {
  // A busy browser lays out a new size of the window a few frames after it is set.
  await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, undefined, { timeout: LAYOUT }).catch(() => undefined);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(wider <= 0, `${what} to fit its window, it is ${wider} px wider`);
  await uncut(page, what);
}

/** The same, and fails when a part passes the right edge, unless it is in one that scrolls. */
export async function fitsWhole(page, what) {
  await fits(page, what);
  const past = await page.evaluate(() => {
    const scrolls = (part) => part && part !== document.body && (getComputedStyle(part).overflowX !== "visible" || scrolls(part.parentElement));
    return [...document.querySelectorAll("body *")]
      .filter((part) => part.clientWidth > 1 && part.getBoundingClientRect().right > innerWidth + 1 && part.checkVisibility({ visibilityProperty: true }) && !scrolls(part.parentElement))
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
  check(past.length === 0, `nothing of ${what} past the right edge: ${past.join(" | ")}`);
}

/** The same at several widths, and then at the one before. */
export async function fitsEverywhere(page, what, widths = WIDTHS) {
  const before = page.viewportSize();
  for (const width of widths) {
    await page.setViewportSize({ width, height: before.height });
    await fitsWhole(page, `${what} at ${width} px`);
  }
  await page.setViewportSize(before);
}

/** Saves a picture in the folder SHOTS, if that is set. */
export async function picture(page, name) {
  const folder = process.env.SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}-${page.viewportSize().width}.png` });
}
