/** What every journey needs: a browser, checks that fail loudly, and an eye on what must never happen. */
import { AxeBuilder } from "@axe-core/playwright";
import { existsSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

export const BASE = process.argv[2] ?? "http://127.0.0.1:8000";
export const OWNER = { email: "owner@acme-demo.com", password: "Demo1234" };
export const MEMBER = { email: "member@acme-demo.com", password: "Demo1234" };
export const WIDE = { width: 1440, height: 900 };
export const SMALL = { width: 390, height: 844 };

export const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);
// Refusals that a journey causes on purpose are errors to the console of a browser, but none of the app.
const REFUSED = /the server responded with a status of 4\d\d/;

/** Runs a journey and ends the process with 0 or 1. Every page that it opens is watched. */
export async function journey(name, walk) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  await run(name, (pages, faults) => walk(opener(browser, pages, faults)), () => browser.close());
}

/** A page in a context of its own, which is watched. */
function opener(browser, pages, faults) {
  return async (options = {}) => {
    const context = await browser.newContext({ baseURL: BASE, viewport: WIDE, reducedMotion: "reduce", acceptDownloads: true, ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    pages.push(page);
    watch(page, faults);
    return page;
  };
}

/** Walks, says how it went, and ends the process with 0 or 1. `walk` is given lists for its pages and for faults. */
export async function run(name, walk, close) {
  const faults = [];
  const pages = [];
  try {
    await walk(pages, faults);
    check(faults.length === 0, `nothing went wrong on the way:\n  ${faults.join("\n  ")}`);
    console.log(`ok   ${name}`);
  } catch (error) {
    for (const [index, page] of pages.entries()) await picture(page, `failed-${name}-${index}`);
    console.error(`FAIL ${name}\n${error.stack ?? error}${faults.length ? `\nSeen on the way:\n  ${faults.join("\n  ")}` : ""}`);
    process.exitCode = 1;
  } finally {
    await close();
  }
}

function watch(page, faults) {
  page.on("pageerror", (error) => faults.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !REFUSED.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== new URL(BASE).origin) faults.push(`outside: ${request.url()}`);
  });
}

export function check(holds, text) {
  if (!holds) throw new Error(`expected ${text}`);
}

export async function signIn(page, { email, password }) {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/dashboard/main/dashboardmain");
}

/** Fails with the rules and places that axe finds wrong on the page as it is now, or in a part of it. */
export async function accessible(page, what, part = "html") {
  const { violations } = await new AxeBuilder({ page }).include(part).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(" | ")}`);
  check(found.length === 0, `${what} to be clean for axe:\n  ${found.join("\n  ")}`);
}

/** A picture under the folder SHOTS, when that is set. */
export async function picture(page, name) {
  const folder = process.env.SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}-${page.viewportSize().width}.png` });
}
