/** The pictures of README.md and docs/, in the folder DOCS. STUDIO is the address of a server with the sample shop. */
import { test } from "@playwright/test";
import { signIn } from "./browser.mjs";
import { BASE, OWNER, TIMEOUT } from "./server.mjs";

const FOLDER = process.env.DOCS ?? "../build/pictures";
const { STUDIO } = process.env;
const PAGE = { width: 1440, height: 900 };
/** One half of the side-by-side picture. */
const HALF = { width: 1000, height: 660 };
const JPEG = { type: "jpeg", quality: 82, animations: "disabled", caret: "hide" };
const FILTER = new URLSearchParams({ filter: "status = 'paid' AND total > '300'", order: "total DESC" });

async function opened(browser, viewport, baseURL) {
  const context = await browser.newContext({ baseURL, viewport, reducedMotion: "reduce", colorScheme: "light", locale: "en-US", serviceWorkers: "block" });
  context.setDefaultTimeout(TIMEOUT);
  return context.newPage();
}

async function ready(page, path) {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
}

const dataOf = (picture) => `data:image/png;base64,${picture.toString("base64")}`;

/** Two windows side by side. */
function sheet(left, right) {
  const { width, height } = HALF;
  const frame = `width: ${width}px; height: ${height}px; border-radius: 12px; box-shadow: 0 0 0 1px #d5ded8, 0 12px 32px -12px #10231d40;`;
  return `<body style="margin: 0; display: flex; gap: 24px; padding: 24px; width: max-content; background: #eef3ef">
    <img style="${frame}" src="${dataOf(left)}"><img style="${frame}" src="${dataOf(right)}">`;
}

test("docs", async ({ browser }) => {
  const wide = await opened(browser, PAGE, BASE);
  await signIn(wide, OWNER);
  for (const [name, path] of [
    ["dashboard", "/dashboard/main/dashboardmain"],
    ["mycontacts", "/dashboard/main/mycontacts"],
  ]) {
    await ready(wide, path);
    await wide.screenshot({ ...JPEG, path: `${FOLDER}/${name}.jpg` });
  }
  await wide.setViewportSize(HALF);
  await ready(wide, "/dashboard/main/mycontacts");
  const app = await wide.screenshot({ animations: "disabled", caret: "hide" });

  const studio = await opened(browser, PAGE, STUDIO);
  await ready(studio, `/studio#/shop/purchase?${FILTER}`);
  await studio.getByRole("row").nth(5).waitFor();
  await studio.screenshot({ ...JPEG, path: `${FOLDER}/studio.jpg` });
  await studio.setViewportSize(HALF);
  const tables = await studio.screenshot({ animations: "disabled", caret: "hide" });

  const both = await opened(browser, { width: 2 * HALF.width + 72, height: HALF.height + 48 }, BASE);
  await both.setContent(sheet(tables, app));
  await both.screenshot({ ...JPEG, quality: 88, path: `${FOLDER}/overview.jpg` });
});
