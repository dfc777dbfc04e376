/** The start page of Studio: the largest tables, the most recently opened ones, and the picture of all tables. */
import { SMALL, WIDE, accessible, check, journey, picture } from "./browser.mjs";

const overview = (page) => page.getByRole("region", { name: "Overview of shop" });

journey("studio begins with an overview", async (open) => {
  const page = await open();
  await page.goto("/studio");
  const first = overview(page).getByRole("listitem").first();
  await first.waitFor();
  check(await page.locator('a[href="/docs/"]').first().isVisible(), "a link to the documentation");
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((scheme) => document.documentElement.dataset.mantineColorScheme === scheme, colorScheme);
  }
  check(/^purchase_line\s+300K rows/.test(await first.innerText()), "the largest table first");
  for (const viewport of [SMALL, WIDE]) {
    await page.setViewportSize(viewport);
    await accessible(page, `the overview at ${viewport.width}`);
    await picture(page, "studio-overview");
  }
  await first.getByRole("link").click();
  await page.getByRole("heading", { name: "purchase_line", level: 1 }).waitFor();
  check(await page.getByRole("navigation", { name: "Tables" }).getByRole("link", { name: /^purchase_line/ }).isVisible(), "the open table to be in view in the list");

  await page.goto("/studio#/shop/purchase?filter=total%20%3E%20600");
  await page.getByRole("region", { name: "Purchases" }).getByRole("status").filter({ hasText: "rows" }).waitFor();
  await page.goto("/studio#/shop");
  await overview(page).getByRole("link", { name: "purchase total > 600" }).click();
  await page.getByRole("heading", { name: "purchase", level: 1 }).waitFor();
});

journey("studio follows its window", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/purchase?view=chart");
  await page.locator(".plot-bar").nth(12).waitFor();
  await page.setViewportSize(SMALL);
  await page.waitForFunction(() => document.querySelector(".plot svg").clientWidth < window.innerWidth);
});

for (const viewport of [WIDE, SMALL]) {
  journey(`studio keeps views at ${viewport.width}`, async (open) => {
    const page = await open({ viewport });
    await page.goto("/studio#/shop/purchase?filter=total%20%3E%20600&order=total%20DESC");
    const views = page.getByRole("button", { name: /^Views/ });
    await views.click();
    const name = page.getByRole("textbox", { name: "Name of this view" });
    await name.fill("Large orders");
    await accessible(page, "the menu of views");
    await picture(page, "studio-views");
    await name.press("Enter");
    await page.getByText("The view Large orders was saved in this browser.").waitFor();
    await page.goto("/studio#/shop");
    await overview(page).getByRole("link", { name: /^Large orders/ }).click();
    await page.waitForURL(/filter=total/);
    await views.click();
    await page.getByRole("button", { name: "Remove the view Large orders" }).click();
    await page.keyboard.press("Escape");
    await page.goto("/studio#/shop");
    await overview(page).getByText("Save a table").waitFor();
  });
}

journey("studio shows all tables in one picture", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop?view=picture");
  await page.locator(".picture-box").nth(20).waitFor();
  const isCut = () => page.getByRole("region", { name: "Map of the tables" }).evaluate((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight);
  check(!(await isCut()), "all tables to be in view at first");
  for (let times = 0; times < 6; times += 1) await page.getByRole("button", { name: "Zoom in" }).click();
  check(await isCut(), "an enlarged picture to be scrolled");
  await page.getByRole("button", { name: "Fit to window" }).click();
  check(!(await isCut()), "all tables to be in view again");
});

journey("an address of studio that leads nowhere has a way out", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/nosuch");
  await page.getByRole("heading", { level: 1, name: "This could not be loaded" }).waitFor();
  await accessible(page, "a table that does not exist");
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await overview(page).waitFor();

  await page.goto("/studio#/nosuch");
  await page.getByRole("heading", { level: 1, name: "This could not be loaded" }).waitFor();
  await page.getByRole("link", { name: "Go to the start" }).click();
  await overview(page).waitFor();

  await page.goto("/studio#/shop/carrier?filter=nosuch%20%3D%201");
  await page.getByText("Table 'carrier' has no field 'nosuch'").waitFor();
  await page.getByRole("button", { name: "Clear search and filter" }).click();
  await page.getByRole("grid").getByRole("row").nth(1).waitFor();
});
