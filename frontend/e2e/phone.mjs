/** Layout, mainly on a phone: aligned edges, short items side by side, addresses that break before their "@". */
import { OWNER, SMALL, WIDE, check, journey, signIn, unfollowed } from "./browser.mjs";

const open = async (page, path, heading) => {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
};

async function contacts(page) {
  await open(page, "/dashboard/main/mycontacts", "My Contacts");
  const parts = await page.getByRole("row").locator("span:not(:has(*))").filter({ hasText: /^@/ }).evaluateAll((all) => all.map((part) => part.getClientRects().length));
  check(parts.length > 0 && parts.every((lines) => lines === 1), `every domain to stand on one line, not ${parts}`);
  const more = await page.getByRole("row").locator("em").evaluateAll((all) => all.map((count) => [count.getClientRects().length, count.clientHeight, count.getBoundingClientRect().right]));
  check(new Set(more.map(String)).size === 1, `every count of more values to stand on one line at one edge, not ${more.join(" | ")}`);
  await page.getByRole("row").getByRole("checkbox").nth(1).check();
  const bar = page.getByRole("group", { name: /selected/ });
  const [outer, first, last] = [await bar.boundingBox(), await bar.getByRole("button", { name: "Export Excel" }).boundingBox(), await bar.getByRole("button", { name: "Add to list" }).boundingBox()];
  const [before, after] = [first.x - outer.x, outer.x + outer.width - last.x - last.width];
  check(Math.abs(before - after) < 1, `the buttons to fill their bar: ${before} px before, ${after} px after them`);
}

async function dashboard(page) {
  await open(page, "/dashboard/main/dashboardmain", /./);
  const [seats, calls] = [await page.getByRole("region", { name: "Seats" }).boundingBox(), await page.getByRole("region", { name: "API Calls" }).boundingBox()];
  check(seats.y === calls.y, "seats and calls side by side");
}

async function wideDashboard(page) {
  await page.setViewportSize(WIDE);
  await open(page, "/dashboard/main/dashboardmain", /./);
  await page.getByText("Period before", { exact: true }).waitFor();
  const [left, days] = [await page.getByText("remaining", { exact: true }).boundingBox(), await page.getByRole("region", { name: "Revealed", exact: true }).getByText("Last 7 days").boundingBox()];
  check(Math.abs(left.y - days.y) < 1, `the notes of two figures on one line, not ${left.y} and ${days.y}`);
}

async function billing(page) {
  await open(page, "/dashboard/settings/billing", "Billing");
  const edge = async (label) => {
    const { x, width } = await page.getByLabel(label, { exact: true }).first().boundingBox();
    return x + width;
  };
  check(Math.abs((await edge("Search invoices")) - (await edge("To"))) < 1, "the filters to end at one edge");
}

journey("phone", async (newPage) => {
  const page = await newPage({ viewport: SMALL });
  await unfollowed(page);
  await signIn(page, OWNER);
  await contacts(page);
  await dashboard(page);
  await billing(page);
  await wideDashboard(page);
});
