// The API page with two databases that share a table name and a third with many tables: one is loaded at a time.
import { SMALL, check, journey } from "./browser.mjs";

journey("apidocs", async (open) => {
  const page = await open();
  const loaded = [];
  page.on("request", (request) => {
    if (request.url().includes("_spec")) loaded.push(new URL(request.url()).pathname);
  });
  const heading = (name) => page.getByRole("heading", { level: 2, name }).waitFor();
  const fields = () => page.locator("table").allTextContents().then((texts) => texts.join(" "));
  const links = () => page.locator("#list a").count();

  await page.goto("/api/docs");
  await heading("Read records of item");
  check(await page.locator('a[href="/docs/"]').first().isVisible(), "a link to the documentation");
  check(loaded.join() === "/api/v2/one/_spec", `only the first database to be loaded, not ${loaded}`);
  check((await fields()).includes("onlyone"), "the fields of the first database to be shown");

  await page.getByLabel("Database").selectOption("two");
  await heading("Read records of item");
  check(loaded.at(-1) === "/api/v2/two/_spec" && loaded.length === 2, `the second to be loaded alone, not ${loaded}`);
  check((await fields()).includes("onlytwo"), "the fields of the second database to be shown");
  check(!(await fields()).includes("onlyone"), "no field of the other table of this name");

  await page.getByText("Create records of item").click();
  await heading("Create records of item");
  check(page.url().endsWith("#two/postItem"), `the database to stand in the address, not ${page.url()}`);
  await page.goBack();
  await heading("Read records of item");
  await page.goto("/api/docs#one/patchItem");
  await heading("Change records of item");
  check((await fields()).includes("onlyone"), "an address to lead to its database");

  await page.goto("/api/docs#many/getMany_7");
  await heading("Read records of many_7");
  check((await links()) < 400, `few links at once, not ${await links()}`);
  await page.getByLabel("Search operations").fill("many_1");
  check((await links()) < 400, `few links of a search, not ${await links()}`);
  await page.getByLabel("Search operations").fill("no such thing");
  await page.locator("#list").getByText("No operation matches “no such thing”.").waitFor();
  await page.getByLabel("Search operations").fill("create records of many_399");
  await page.getByText("Create records of many_399").click();
  await heading("Create records of many_399");
  await page.getByRole("tab", { name: "Python" }).click();
  await page.getByText("import requests").waitFor();
  await page.getByLabel("Search operations").fill("");
  await page.locator("#list summary", { hasText: /^many_42$/ }).click();
  await page.getByText("Delete one record of many_42", { exact: true }).click();
  await heading("Delete one record of many_42");

  // On a phone the list is collapsed above the content.
  await page.setViewportSize(SMALL);
  const list = page.locator("#list");
  await list.waitFor({ state: "hidden" });
  await page.getByText("All operations").click();
  await list.waitFor();
  await page.getByText("Create records of many_42", { exact: true }).click();
  await heading("Create records of many_42");
  await list.waitFor({ state: "hidden" });
  await page.getByLabel("Search operations").fill("create records of many_399");
  await page.getByText("Create records of many_399").click();
  await heading("Create records of many_399");
});
