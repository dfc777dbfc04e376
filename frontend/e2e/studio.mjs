// Studio on the sample shop: find by three filters, follow relations, edit with a conflict, chart by month, copy and run.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { BASE, SMALL, WIDE, accessible, check, checkOf, journey, picture } from "./browser.mjs";

const API = `${BASE}/api/v2/shop/_table`;

async function patch(path, values) {
  const response = await fetch(`${API}/${path}`, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) });
  check(response.ok, `a change of ${path} to be accepted`);
}

const stored = async (path) => (await fetch(`${API}/${path}`)).json();
const grid = (page) => page.getByRole("grid");
const drawer = (page) => page.locator(".drawer");
const told = (page) => page.locator(".screen-head [role=status]");

async function addCondition(page, index, column, operator, value) {
  const condition = page.locator(".condition").nth(index);
  await condition.getByLabel("Column").selectOption(column);
  await condition.getByLabel("Operator").selectOption(operator);
  const box = condition.getByLabel("Value");
  if (await box.evaluate((element) => element.tagName === "SELECT")) await box.selectOption(value);
  else await box.fill(value);
}

journey("studio", async (open) => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  // The list of tables, and one of them by its name.
  await page.goto("/studio");
  await page.getByLabel("Find a table").fill("purch");
  await page.getByLabel("Find a table").press("Enter");
  await page.getByRole("heading", { name: "purchase", level: 1 }).waitFor();
  await grid(page).getByRole("row").nth(5).waitFor();
  await picture(page, "studio-grid");
  await accessible(page, "the grid");

  // Three filters, one of them through a relation; they are kept in the address and restored to the form from it.
  await page.getByRole("button", { name: "Filter" }).click();
  await addCondition(page, 0, "status", "=", "paid");
  await page.getByRole("button", { name: "Add a condition" }).click();
  await addCondition(page, 1, "total", ">", "550");
  await page.getByRole("button", { name: "Add a condition" }).click();
  await addCondition(page, 2, "customer_by_customer_id.name", "STARTS WITH", "Ada B");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction(() => !document.querySelector(".screen-head [role=status]").textContent.includes("140,000"));
  await accessible(page, "the filter");
  const filter = new URLSearchParams(page.url().split("?")[1]).get("filter");
  check(filter === "status = 'paid' AND total > '550' AND customer_by_customer_id.name STARTS WITH 'Ada B'", `the filter to stand in the address, not ${filter}`);
  await page.reload();
  await page.getByRole("button", { name: "Filter" }).click();
  check((await page.locator(".condition").count()) === 3, "the filter to be read back");
  await page.getByRole("button", { name: "As text" }).click();
  check((await page.getByLabel("Filter as text").inputValue()) === filter, "the filter as text");
  await page.getByRole("button", { name: "Close" }).click();

  // The copied request finds the same rows.
  await grid(page).getByRole("row").nth(1).waitFor();
  await page.getByRole("button", { name: "Copy as" }).click();
  await page.getByRole("button", { name: "curl" }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { resource } = JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));
  check(resource.length > 0 && resource.every(({ status, total }) => status === "paid" && total > 550), "the copied request to find the rows of the filter");

  // From a purchase to its customer, to one of its addresses, and back.
  await grid(page).focus();
  await page.keyboard.press("Enter");
  await drawer(page).getByText(String(resource[0].id), { exact: true }).first().waitFor();
  await drawer(page).getByRole("button", { name: `Open customer ${resource[0].customer_id}` }).click();
  await drawer(page).getByRole("heading", { name: /^Ada B/, level: 2 }).waitFor();
  await drawer(page).getByRole("button", { name: /^address customer_id/ }).click();
  await drawer(page).locator(".relation-row").first().click();
  await drawer(page).getByText("address", { exact: true }).waitFor();
  await drawer(page).getByLabel("street").waitFor();
  await accessible(page, "a record");
  await drawer(page).getByRole("button", { name: "Back" }).click();
  await drawer(page).getByRole("heading", { name: /^Ada B/, level: 2 }).waitFor();
  await page.keyboard.press("Escape");
  await drawer(page).waitFor({ state: "detached" });

  // A conflicting change: both versions side by side, and undo of the saved one.
  await page.goto("/studio#/shop/customer?open=customer%2F7");
  await drawer(page).getByLabel("note", { exact: true }).fill("mine");
  await patch("customer/7", { note: "theirs" });
  await drawer(page).getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog", { name: "Someone else changed this record" });
  await dialog.getByRole("row", { name: /note.*mine.*theirs/ }).waitFor();
  await accessible(page, "a conflict");
  await picture(page, "studio-conflict");
  await dialog.getByRole("button", { name: "Save my choice" }).click();
  await page.getByText("The record was saved.").waitFor();
  check((await stored("customer/7")).note === "mine", "my version to be kept");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The change was undone.").waitFor();

  // Referring records are counted before a record is deleted; the error of the database is shown.
  await drawer(page).getByRole("button", { name: "More" }).click();
  await drawer(page).getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog", { name: /^Delete / });
  await question.getByText(/address \(customer_id\)/).waitFor();
  await question.getByRole("button", { name: "Delete" }).click();
  await question.getByRole("alert").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();

  // Groups by month, with a table for screen readers.
  await page.goto("/studio#/shop/purchase?view=chart");
  await page.getByRole("img", { name: "count · placed by month" }).waitFor();
  await page.getByText(/2026-02 is not complete: the last record is from 2026-02-/).waitFor();
  check((await page.locator(".plot-bar").count()) > 12, "a bar for each month");
  await page.getByLabel("Measure").selectOption("sum:total");
  await page.getByRole("img", { name: "sum of total · placed by month" }).waitFor();
  await accessible(page, "the chart");
  await picture(page, "studio-chart");

  await page.goto("/studio#/shop?view=picture");
  await page.locator(".picture-box").nth(20).waitFor();
  await accessible(page, "the picture of the tables");
  await picture(page, "studio-picture");
});

journey("studio on a phone, in the dark", async (open) => {
  const page = await open({ viewport: SMALL, colorScheme: "dark" });
  await page.goto("/studio");
  await page.getByRole("button", { name: "All tables" }).click();
  await page.getByRole("navigation", { name: "Tables" }).getByRole("link", { name: /^customer 50K/ }).click();
  await page.locator(".phone-row").nth(3).waitFor();
  await accessible(page, "the list on a phone");
  await picture(page, "studio-dark");
  await page.locator(".phone-row").nth(3).click();
  await drawer(page).getByRole("heading", { level: 2 }).waitFor();
  await accessible(page, "a record on a phone");
  await picture(page, "studio-record-dark");
});

journey("studio imports lines", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/review");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import into review" });
  // Every hundredth line has too many stars, or a value that is not a number.
  const lines = Array.from({ length: 1000 }, (_, index) => `${1 + (index % 6000)},${1 + index},${index % 100 === 99 ? (index % 200 === 99 ? 9 : "many") : 1 + (index % 5)},2026-05-01`);
  await dialog.getByLabel("Paste rows").fill(["product_id,customer_id,stars,written", ...lines].join("\n"));
  await dialog.getByRole("button", { name: "Read" }).click();
  await dialog.getByText("1,000 lines").waitFor();
  await dialog.getByRole("button", { name: "Check all lines" }).click();
  await dialog.getByText("990 lines can be written.").waitFor();
  const bad = await dialog.locator("tbody th.right").allTextContents();
  check(bad.join() === "101,201,301,401,501,601,701,801,901,1001", `the bad lines by their number, not ${bad}`);
  await dialog.getByText("stars cannot be “9”: it violates the rule review_stars_check of the table.").first().waitFor();
  const before = await count("review");
  await accessible(page, "the import", "dialog");
  await picture(page, "studio-import");
  const write = dialog.getByRole("button", { name: "Import 990 lines" });
  await write.dispatchEvent("click", { detail: 2 });
  check(await write.isEnabled(), "the second click of a double click on the check to write nothing");
  await write.click();
  await page.getByText("990 records were created.").waitFor();
  check((await count("review")) === before + 990, "the good lines to be written once");
});

journey("studio exports, and imports what it exported", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/department");
  const files = {};
  for (const [button, name] of [["All matching rows as CSV", "csv"], ["The first 1,000 rows as Excel", "xlsx"]]) {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
    check(download.suggestedFilename() === `department.${name}`, `a file with the name of the table, not ${download.suggestedFilename()}`);
    files[name] = readFileSync(await download.path());
  }
  check(files.csv.toString().startsWith("id,name\r\n1,Sales\r\n"), `the rows as CSV, not ${files.csv}`);
  const before = await count("department");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import into department" });
  await dialog.getByLabel("Or choose a CSV or Excel file").setInputFiles({ name: "department.xlsx", mimeType: "application/octet-stream", buffer: files.xlsx });
  await dialog.getByLabel("Column: id").selectOption("leave out");
  await dialog.getByRole("button", { name: "Check all lines" }).click();
  await dialog.getByRole("button", { name: `Import ${before} lines` }).click();
  await page.getByText(`${before} records were created.`).waitFor();
  check((await count("department")) === 2 * before, "the lines of the Excel file to be written");
  await dialog.waitFor({ state: "detached" });

  // A new record, its copy, and undo of the copy.
  await page.getByRole("button", { name: "New record" }).click();
  await drawer(page).getByLabel("name").fill("Night shift");
  await drawer(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").filter({ hasText: "The record was created." }).getByRole("button", { name: "Close" }).click();
  await drawer(page).getByRole("button", { name: "More" }).click();
  await drawer(page).getByRole("button", { name: "Duplicate" }).click();
  await drawer(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The change was undone.").waitFor();
  check((await count("department")) === 2 * before + 1, "the copy to be gone and the record to stay");
});

const count = async (table) => Number(await (await fetch(`${API}/${table}?count_only=true&include_count=true`)).text());

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

journey("studio loads images of others only where that is switched on", async (open) => {
  const page = await open({ hosts: ["images.shop.example"] });
  const asked = [];
  await page.route("https://images.shop.example/**", (route) => {
    asked.push(route.request().headers());
    return route.fulfill({ contentType: "image/png", body: PIXEL });
  });
  await page.goto("/studio#/shop/product?columns=id,picture,name");
  await grid(page).locator(".image-switch").first().waitFor();
  await page.goto("/studio#/shop/product?columns=id,picture,name&open=product%2F2");
  await drawer(page).getByText("Loading it tells images.shop.example that someone is viewing it.").waitFor();
  check(asked.length === 0, "no image to be asked for");
  await drawer(page).getByRole("button", { name: "Load the images of picture" }).click();
  await drawer(page).locator("img.preview").waitFor();
  await accessible(page, "a record with an image");
  await picture(page, "studio-image");
  check(asked.length > 0 && asked.every(({ referer, origin }) => !referer && !origin), "the host of the image not to be told who asks");
  await page.reload();
  await grid(page).locator("img.thumbnail").first().waitFor();
  await drawer(page).getByRole("button", { name: "Close" }).click();
  await page.getByRole("columnheader", { name: /picture/ }).getByRole("button", { name: "Hide the images of picture" }).click();
  await grid(page).locator(".image-switch").first().waitFor();
  check((await page.locator("img.thumbnail").count()) === 0, "the images to be gone");
  // The keyboard shortcut applies to the column of the active cell.
  await grid(page).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("i");
  await grid(page).locator("img.thumbnail").first().waitFor();
});

journey("studio draws places", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/city?open=city%2F7");
  await drawer(page).getByRole("img", { name: /^point 42, 22$/ }).waitFor();
  await page.goto("/studio#/shop/warehouse?open=warehouse%2F1");
  await drawer(page).getByRole("img", { name: "Polygon, 5 points" }).waitFor();
  await grid(page).getByText("Polygon, 5 points").first().waitFor();
  check((await drawer(page).locator(".map-area").count()) === 1, "the outline to be drawn");
  await accessible(page, "a place on the map");
  await picture(page, "studio-place");
});

// The states tested in both schemes and at both widths.
const STATES = [
  ["the grid", "/shop/purchase", (page) => page.getByRole("row").nth(3).waitFor()],
  ["a record", "/shop/purchase?open=purchase%2F4", (page) => drawer(page).getByRole("heading", { name: "Related records" }).waitFor()],
  ["the chart", "/shop/purchase?view=chart", (page) => page.getByRole("img", { name: "count · placed by month" }).waitFor()],
  ["the picture of the tables", "/shop?view=picture", (page) => page.locator(".picture-box").nth(20).waitFor()],
];

for (const viewport of [WIDE, SMALL]) {
  journey(`studio is clean for axe, light and dark, at ${viewport.width}`, async (open) => {
    const page = await open({ viewport, hasTouch: viewport === SMALL });
    const inBoth = async (name) => {
      for (const scheme of ["light", "dark"]) {
        await page.evaluate((value) => document.documentElement.setAttribute("data-mantine-color-scheme", value), scheme);
        await checkOf(scheme)(page, `${name}, ${scheme}, at ${viewport.width}`);
        await picture(page, `studio-${name.replaceAll(" ", "")}-${scheme}`);
      }
    };
    for (const [name, at, ready] of STATES) {
      await page.goto(`/studio#${at}`);
      await ready(page);
      await inBoth(name);
    }
    await page.goto("/studio#/shop/review");
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("Paste rows").fill("product_id,customer_id,stars,written\n1,1,9,2026-05-01\n1,1,5,2026-05-01");
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("button", { name: "Check all lines" }).click();
    await page.getByText("1 line cannot be written").waitFor();
    await inBoth("the import");
    await page.keyboard.press("Escape");
    if (viewport === SMALL) {
      await page.getByRole("button", { name: "Show the tables" }).tap();
      await page.getByRole("link", { name: /^customer 50K/ }).waitFor();
      await inBoth("the list of tables");
      await page.getByRole("link", { name: /^customer 50K/ }).tap();
      await page.locator(".phone-row").nth(2).tap();
      await drawer(page).getByRole("button", { name: "Close" }).tap();
      await drawer(page).waitFor({ state: "detached" });
    }
  });
}

journey("studio shows what stands in the database as text", async (open) => {
  const page = await open();
  const hostile = '<img src=x onerror="window.hit=1">';
  await patch("carrier/1", { name: hostile, website: "javascript:window.hit=1" });
  await page.goto("/studio#/shop/carrier");
  await grid(page).getByText(hostile).waitFor();
  check((await grid(page).getByRole("link", { name: /javascript/ }).count()) === 0, "a script to be no link");
  check((await page.evaluate(() => window.hit)) === undefined, "nothing of a value to run");
  await page.goto("/studio#/shop/none%3Cb%3E?filter=%27&open=x/y");
  await page.getByText("This could not be loaded").first().waitFor();
  await page.goto("/studio#/shop/carrier?filter=nonsense");
  await page.getByText("This could not be loaded").first().waitFor();
  await page.goto("/studio#/shop/carrier?filter=name%20%3D%20none");
  await page.getByText("No row matches").waitFor();
  check((await told(page).textContent()) === "0 rows", "an empty result to say so");
});
