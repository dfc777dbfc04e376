// The documentation site: three entry points, a search that answers questions, examples that run in place, a 404 page.
import { SMALL, WIDE, check, checkOf, fitsEverywhere, journey } from "./browser.mjs";

const PAGES = ["/docs/", "/docs/guides/filters/", "/docs/reference/settings/", "/docs/no/such/page"];

/** Waits for a page, and for its scripts, which hear the keys. */
async function heading(page, name) {
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.waitForLoadState();
}

journey("docs: a reader finds a page and runs its example", async (open) => {
  const page = await open();
  await page.goto("/docs/");
  check((await page.locator(".way > p a").count()) === 3, "three ways in");
  const bytes = await page.evaluate(() => performance.getEntriesByType("resource").reduce((sum, { transferSize }) => sum + transferSize, 0));
  check(bytes < 150_000, `a page to send less than 150 kB, not ${bytes}`);

  await page.keyboard.press("Control+k");
  const search = page.getByRole("dialog", { name: "Search the documentation" });
  await search.getByRole("searchbox").fill("pagination");
  await search.getByRole("link", { name: /^Pages and cursors/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await heading(page, "Pages and cursors");
  await page.keyboard.press("/");
  await search.getByRole("searchbox").fill("zzzz");
  await search.getByText("Nothing matches “zzzz”").waitFor();
  await page.keyboard.press("Escape");

  await page.goto("/docs/guides/filters/");
  const example = page.locator(".highlight", { hasText: "filter=city = Oslo" }).first();
  await example.getByRole("tab", { name: "Python" }).click();
  await example.getByText("import requests").waitFor();
  await example.getByRole("button", { name: "Run" }).click();
  await page.locator(".answer", { hasText: "Ada Berg" }).waitFor();
});

journey("docs: the scheme is kept, and shared with the app", async (open) => {
  const page = await open({ colorScheme: "light" });
  await page.goto("/docs/");
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  await page.goto("/docs/guides/filters/");
  check((await page.locator("html").getAttribute("data-mantine-color-scheme")) === "dark", "dark to be kept");
  check((await page.context().cookies()).some(({ name, value }) => name === "theme" && value === "dark"), "the cookie of the app");
});

for (const viewport of [WIDE, SMALL]) {
  for (const colorScheme of ["light", "dark"]) {
    journey(`docs: clean for axe at ${viewport.width}, ${colorScheme}`, async (open) => {
      const page = await open({ viewport, colorScheme });
      for (const path of [...PAGES, "/api/docs"]) {
        await page.goto(path);
        await page.locator(path === "/api/docs" ? "main h2" : "h1").first().waitFor();
        if (viewport === WIDE && colorScheme === "light") await fitsEverywhere(page, path);
        await checkOf(colorScheme)(page, `${path} at ${viewport.width}, ${colorScheme}`);
      }
    });
  }
}

journey("docs: a wrong address is a page with a way on", async (open) => {
  const page = await open({ viewport: SMALL });
  const answer = await page.goto("/docs/no/such/page");
  check(answer.status() === 404, `404, not ${answer.status()}`);
  await heading(page, "Page not found");
  await page.getByRole("button", { name: "Search the documentation" }).click();
  await page.getByRole("searchbox").fill("error codes");
  await page.getByRole("link", { name: /^Errors(?! and)/ }).first().click();
  await heading(page, "Errors");
  await page.getByRole("button", { name: "Contents" }).click();
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await heading(page, "Settings");
});
