/** Where the journeys run: the server under test, the people of its demo, the browser. */
import { existsSync } from "node:fs";

export const BASE = process.env.BASE_URL ?? "http://127.0.0.1:8000";
export const OWNER = { email: "owner@acme-demo.com", password: "Demo1234" };
export const MEMBER = { email: "member@acme-demo.com", password: "Demo1234" };
/** Milliseconds for one step: enough for a busy machine, but a hanging step still ends before the journey does. */
export const TIMEOUT = 45_000;
export const WIDE = { width: 1440, height: 900 };
export const SMALL = { width: 390, height: 844 };
/** The narrowest window that a page must fit: 1280 px at 400 % zoom. */
export const NARROW = { width: 320, height: 640 };
/** The widths at which no page may be wider than its window. */
export const WIDTHS = [NARROW.width, SMALL.width, 768, 1280, WIDE.width, 1920];
const found = (...paths) => paths.find((path) => path && existsSync(path));
/** The full browser, which is needed to load extensions. */
export const CHROMIUM = found(process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
/** The same engine without windows: a context costs a quarter of the time. */
export const HEADLESS = found(process.env.CHROMIUM, "/usr/bin/chromium-headless-shell", CHROMIUM);
// Tests occupy every core: threads that compile and collect garbage beside a page, and small heaps, cost an eighth of
// the browser's CPU time.
const ENGINE = "--single-threaded --min-semi-space-size=64 --max-semi-space-size=64";
export const ARGS = ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text", `--js-flags=${ENGINE}`];
