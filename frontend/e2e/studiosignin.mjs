// Studio on a server that asks for a key: nothing is shown without it, and it is kept in the tab only.
import { SMALL, accessible, check, journey, picture } from "./browser.mjs";

journey("studio asks for a key", async (open) => {
  const page = await open();
  await page.goto("/studio#/shop/item");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  check((await page.getByRole("grid").count()) === 0, "no rows without a key");
  await accessible(page, "the sign-in");
  await picture(page, "studio-sign-in");
  await page.getByLabel("API key").fill("guess");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();

  await page.getByLabel("API key").fill("clerk");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("grid").getByText("seen").waitFor();
  const links = await page.getByRole("navigation", { name: "Tables" }).getByRole("link").allTextContents();
  check(links.join() === "item", `only the tables of the role, not ${links}`);
  check((await page.getByRole("button", { name: "New record" }).count()) === 0, "nothing to be offered that may not be done");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await page.locator(".drawer").getByRole("heading", { level: 2 }).waitFor();
  check((await page.locator(".drawer input, .drawer textarea").count()) === 0, "no field to be edited");

  // The copied text names the key but does not contain it.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } }));
  await page.keyboard.press("Escape");
  for (const [way, word] of [["curl", "$API_KEY"], ["Python", "API_KEY"], ["TypeScript", "process.env.API_KEY"], ["MCP", '"name": "query"']]) {
    await page.getByRole("button", { name: "Copy as" }).click();
    await page.getByRole("button", { name: way, exact: true }).click();
    const copied = await page.evaluate(() => window.copied);
    check(copied.includes(word) && !copied.includes("clerk"), `${way} to name the key and not to hold it: ${copied}`);
  }

  const other = await page.context().newPage();
  await other.goto("/studio");
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await other.close();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

async function enter(page, key) {
  await page.goto("/studio#/shop/item");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("grid").getByText("seen").waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await page.locator(".drawer").getByRole("heading", { level: 2 }).waitFor();
}

journey("studio says why not", async (open) => {
  // The row rule of the role rejects a record that would fall outside it.
  const writer = await open();
  await enter(writer, "writer");
  await writer.locator(".drawer").getByRole("textbox", { name: "name" }).fill("unseen");
  await writer.getByRole("button", { name: "Save" }).click();
  await writer.getByRole("alert").first().waitFor();
  await writer.getByRole("button", { name: "Why not?" }).click();
  const dialog = writer.getByRole("dialog", { name: "Why, and for whom" });
  await dialog.getByText("Rejected.").waitFor();
  await dialog.getByText("Row condition").waitFor();
  await dialog.getByText(/name = .?seen/).first().waitFor();
  await accessible(writer, "why a change is rejected", "dialog");
  await picture(writer, "studio-why");
  await writer.setViewportSize(SMALL);
  await picture(writer, "studio-why");
  await writer.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  // With full rights, the dialog asks for another role.
  const admin = await open();
  await enter(admin, "admin");
  await admin.locator(".drawer").getByRole("button", { name: "More" }).first().click();
  await admin.getByRole("button", { name: "Who may do this?" }).click();
  const asked = admin.getByRole("dialog", { name: "Why, and for whom" });
  await asked.getByText("Allowed.").waitFor();
  await asked.getByLabel("Action").selectOption("Delete");
  await asked.getByLabel("Role").fill("clerk");
  await asked.getByRole("button", { name: "Ask" }).click();
  await asked.getByText("No rule lets the role 'clerk' delete 'item'.").waitFor();
  await asked.getByLabel("Role").fill("nobody");
  await asked.getByRole("button", { name: "Ask" }).click();
  await asked.getByText("There is no role 'nobody'").waitFor();
  await picture(admin, "studio-why-role");
});
