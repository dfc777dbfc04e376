/** Studio on the sample shop: names for keys, cells edited in place and undone, rows selected, the palette. */
import { SMALL, accessible, check, journey, picture } from "./browser.mjs";
import { BASE } from "./server.mjs";

const API = `${BASE}/api/v2/shop/_table`;
const stored = async (path) => (await fetch(`${API}/${path}`)).json();
const grid = (page) => page.getByRole("grid");
const row = (page, index) => grid(page).locator(`[data-row="${index}"]`);
const cell = (page, index, column) => row(page, index).locator(`[data-column="${column}"]`);
const drawer = (page) => page.locator(".drawer");

journey("a foreign key shows a name, and its record at a glance", async (open) => {
  const page = await open();
  const { customer_id } = await stored("purchase/1");
  const { name } = await stored(`customer/${customer_id}`);
  await page.goto("/studio#/shop/purchase");
  await cell(page, 0, 1).getByText(name).waitFor();
  check((await cell(page, 0, 1).textContent()) === `${name} ${customer_id}`, "the name first and the key after it");
  await cell(page, 0, 1).hover();
  await page.getByRole("group", { name: `Preview of ${name}` }).getByText("newsletter").waitFor();
  await accessible(page, "the preview of a record");
  await picture(page, "studio-peek");
  await page.getByRole("button", { name: "Open record" }).click();
  await drawer(page).getByRole("heading", { name, level: 2 }).waitFor();
});

journey("a cell is edited in place and undone, by pointer and by keyboard", async (open) => {
  const page = await open();
  const before = (await stored("carrier/3")).name;
  await page.goto("/studio#/shop/carrier?columns=id,name,website");
  await cell(page, 2, 1).getByText(before).waitFor();
  await cell(page, 2, 1).dblclick();
  const box = page.getByLabel(`name of ${before}`);
  await box.fill("Typed by mistake");
  await accessible(page, "a cell that is edited");
  await picture(page, "studio-cell");
  await box.press("Escape");
  check((await stored("carrier/3")).name === before, "Escape to change nothing");

  // Enter edits and saves, Ctrl-Z undoes; the pointer is not used.
  await grid(page).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("North Post");
  await page.keyboard.press("Enter");
  await page.getByText(`name: ${before} → North Post`).waitFor();
  await cell(page, 2, 1).getByText("North Post").waitFor();
  check((await stored("carrier/3")).name === "North Post", "the value to be stored");
  await page.keyboard.press("Control+z");
  await page.getByText("The change was undone.").waitFor();
  check((await stored("carrier/3")).name === before, "the value before to be stored again");

  // A value changed elsewhere in the meantime is not overwritten.
  await cell(page, 2, 1).getByText(before).waitFor();
  await cell(page, 2, 1).dblclick();
  await page.getByLabel(`name of ${before}`).fill("Mine");
  await change("carrier/3", { name: "Theirs" });
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "name has since been changed to “Theirs”." }).waitFor();
  check((await stored("carrier/3")).name === "Theirs", "their value to stay");
  await page.keyboard.press("Escape");
  await change("carrier/3", { name: before });
});

async function change(path, values) {
  const response = await fetch(`${API}/${path}`, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) });
  check(response.ok, `a change of ${path} to be accepted`);
}

journey("a rule of the table is named with the value that violates it", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/review?columns=id,stars");
  await cell(page, 0, 1).getByText(/^\d$/).waitFor();
  await cell(page, 0, 1).dblclick();
  await page.keyboard.type("9");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "stars cannot be “9”: it violates the rule review_stars_check of the table." }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".cell-editor").waitFor({ state: "detached" });
});

journey("rows are selected, copied, exported and deleted, and come back", async (open) => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto("/studio#/shop/price_change?filter=product_id%20%3D%2017");
  await grid(page).getByRole("row").nth(2).waitFor();
  await cell(page, 0, 0).getByText(/^\d+$/).waitFor();
  const first = await cell(page, 0, 0).textContent();
  await grid(page).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  const bar = page.getByRole("region", { name: "Selected rows" });
  await bar.getByText("2 selected").waitFor();
  await accessible(page, "selected rows");
  await picture(page, "studio-selection");
  await bar.getByRole("button", { name: "Copy as SQL" }).click();
  const sql = await page.evaluate(() => navigator.clipboard.readText());
  check(sql.startsWith('INSERT INTO "price_change"') && sql.includes(`(${first}, `), `the rows as SQL, not ${sql}`);
  await bar.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), bar.getByRole("button", { name: "Selected rows as NDJSON" }).click()]);
  check(download.suggestedFilename() === "price_change.ndjson", "a file with the name of the table");

  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete 2 records?" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("2 records were deleted.").waitFor();
  check((await fetch(`${API}/price_change/${first}`)).status === 404, "the record to be gone");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The change was undone.").waitFor();
  check((await stored(`price_change/${first}`)).product_id === 17, "the record to be back under its key");
});

journey("the palette finds tables and pages, and ? lists the shortcuts", async (open) => {
  const page = await open();
  await page.goto("/studio");
  await page.getByRole("region", { name: "Overview of shop" }).waitFor();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Search and commands" });
  await box.fill("purchase_l");
  await page.getByRole("option", { name: /^purchase_line/ }).waitFor();
  await accessible(page, "the palette");
  await picture(page, "studio-palette");
  await box.press("Enter");
  await page.getByRole("heading", { name: "purchase_line", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await box.fill("schema");
  await box.press("Enter");
  await page.getByRole("heading", { name: "Schema map", level: 1 }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("undo the last change").waitFor();
});

journey("names, a change and its undo on a phone", async (open) => {
  const page = await open({ viewport: SMALL, hasTouch: true });
  const { customer_id, status } = await stored("purchase/2");
  const { name } = await stored(`customer/${customer_id}`);
  await page.goto("/studio#/shop/purchase?columns=id,customer_id,status");
  await page.locator(".phone-row").nth(1).getByText(name).waitFor();
  await page.locator(".phone-row").nth(1).tap();
  await drawer(page).locator(".combo-name").getByText(name).waitFor();
  const other = status === "paid" ? "shipped" : "paid";
  await drawer(page).getByLabel("status", { exact: true }).selectOption(other);
  await drawer(page).getByRole("button", { name: "Save" }).tap();
  await page.getByText("The record was saved.").waitFor();
  check((await stored("purchase/2")).status === other, "the change to be stored");
  await page.getByRole("button", { name: "Undo" }).tap();
  await page.getByText("The change was undone.").waitFor();
  check((await stored("purchase/2")).status === status, "the value before to be stored again");
  await accessible(page, "a record with a name on a phone");
  await picture(page, "studio-name");
});
