/** Every screen: few requests on a first visit, rendered, no axe violations, not wider than the window. Pictures in
 SHOTS. */
import { ALSO, OWNER, SMALL, WIDE, accessible, check, contrasting, fitsEverywhere, fitsWhole, journey, picture, signIn, twoAtATime } from "./browser.mjs";
import { BEFORE, INSIDE } from "./screens.mjs";
import { WIDTHS } from "./server.mjs";
import { APPEARANCES, appear } from "./steady.mjs";

const MAX_REQUESTS = 21;
const OTHER_WIDTHS = WIDTHS.filter((width) => width !== WIDE.width && width !== SMALL.width);
// The account is refetched while a tab is in use.
const REPEATED = "PUT /api/v2/user/session";

/** Fails when a first visit sends many requests, or a call twice. */
function fewAndOnce(name, requests) {
  check(requests.length <= MAX_REQUESTS, `at most ${MAX_REQUESTS} requests for ${name}, not ${requests.length}:\n  ${requests.join("\n  ")}`);
  const twice = requests.filter((request, index) => request.includes("/api/") && !request.startsWith(REPEATED) && requests.indexOf(request) !== index);
  check(twice.length === 0, `no call of ${name} to be sent twice: ${twice.join(", ")}`);
}

/** Tables scroll sideways rather than cut off a value, but not in a window of the usual width. */
async function everyColumnInView(page, name) {
  const outOfView = await page.getByRole("region").evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
  check(outOfView.every((pixels) => pixels <= 0), `the tables of ${name} to fit, not ${outOfView} px more`);
}

/** Opens a screen for the first time, in a page without a cache, and looks at it at both widths. */
async function look(page, [name, path, heading]) {
  await page.setViewportSize(WIDE);
  const requests = [];
  const note = (request) => requests.push(`${request.method()} ${request.url().replace(/^https?:\/\/[^/]+/, "")} ${request.postData() ?? ""}`);
  page.on("request", note);
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  page.off("request", note);
  fewAndOnce(name, requests);
  for (const viewport of [WIDE, SMALL]) {
    await page.setViewportSize(viewport);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.waitForLoadState("networkidle");
    await picture(page, name);
    if (viewport === WIDE) await everyColumnInView(page, name);
    await fitsWhole(page, `${name} at ${viewport.width} px`);
    await accessible(page, `${name} at ${viewport.width} px`, "html", ALSO);
    if (viewport !== WIDE) continue;
    await appear(page, APPEARANCES.dark);
    await contrasting(page, `${name} in dark`);
    await appear(page, APPEARANCES.light);
  }
  await fitsEverywhere(page, name, OTHER_WIDTHS);
  await page.evaluate(() => sessionStorage.clear());
  await page.goto("/theme.js");
}

/** Looks at screens in two pages, each time with the same cookies and stored values.

 A page keeps its process, which compiles the app and axe once. */
async function lookAtEach(open, screens, storageState) {
  const pages = [await open(), await open()];
  // Rejected by a route, so that the request of a change stream is counted too. With a route a page has no cache.
  for (const page of pages) await page.route("**/_changes*", (route) => route.fulfill({ status: 404, json: {} }));
  await twoAtATime(screens, async (screen) => {
    const page = pages.pop();
    await page.context().setStorageState(storageState);
    await look(page, screen);
    pages.push(page);
  });
}

/** The API page finds its key without help. */
async function lookAtDocs(page) {
  await page.goto("/api/docs");
  await page.getByRole("heading", { level: 2, name: "Get started" }).waitFor();
  await picture(page, "apidocs");
}

journey("look", async (open) => {
  await lookAtDocs(await open());
  await lookAtEach(open, BEFORE, { cookies: [], origins: [] });
  const page = await open();
  await signIn(page, OWNER);
  await lookAtEach(open, INSIDE, await page.context().storageState());
});
