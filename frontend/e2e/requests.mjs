/** A cold visit of each screen sends at most 20 requests, and no call twice. */
import { OWNER, check, journey, signIn } from "./browser.mjs";

const MAX_REQUESTS = 20;

const BEFORE = ["/login", "/register", "/forgotpassword", "/resetpassword?email=a%40b.co&code=abc", "/termsofuse"];
const INSIDE = [
  "/dashboard/main/dashboardmain",
  "/dashboard/main/search",
  "/dashboard/main/mycontacts",
  "/dashboard/main/bulklookup",
  "/dashboard/scheduledemo",
  "/dashboard/settings/myaccount",
  "/dashboard/settings/password",
  "/dashboard/settings/manageseats",
  "/dashboard/settings/billing",
  "/dashboard/settings/usage",
  "/dashboard/settings/api",
  "/dashboard/settings/privacy",
  "/dashboard/upgradeplan",
  "/dashboard/creditaddons",
];
// The account is refetched while a tab is in use.
const REPEATED = "PUT /api/v2/user/session";

/** The requests of a first visit, in a context without a cache, as "METHOD address". */
async function cold(open, path, options = {}) {
  const page = await open(options);
  const requests = [];
  page.on("request", (request) => requests.push(`${request.method()} ${request.url().replace(/^https?:\/\/[^/]+/, "")}`));
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.context().close();
  return requests;
}

function fewAndOnce(path, requests) {
  check(requests.length <= MAX_REQUESTS, `at most ${MAX_REQUESTS} requests for ${path}, not ${requests.length}:\n  ${requests.join("\n  ")}`);
  const twice = requests.filter((request, index) => request.includes("/api/") && request !== REPEATED && requests.indexOf(request) !== index);
  check(twice.length === 0, `no call of ${path} to be sent twice: ${twice.join(", ")}`);
}

journey("requests", async (open) => {
  for (const path of BEFORE) fewAndOnce(path, await cold(open, path));
  const page = await open();
  await signIn(page, OWNER);
  const storageState = await page.context().storageState();
  for (const path of INSIDE) fewAndOnce(path, await cold(open, path, { storageState }));
});
