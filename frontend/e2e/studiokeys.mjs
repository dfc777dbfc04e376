/** Studio opens and changes records by keys with commas, quotes, brackets and slashes, and by empty ones. */
import { check, journey } from "./browser.mjs";
import { BASE } from "./server.mjs";

const API = `${BASE}/api/v2/x/_table`;
const listed = async (table) => (await (await fetch(`${API}/${table}`)).json()).resource;

for (const table of ["text", "pair", "document", "list", "price", "child"]) {
  journey(`every record of ${table} is opened and changed by its key`, async (open) => {
    const page = await open();
    const drawer = page.locator(".drawer");
    const rows = await listed(table);
    check(rows.length > 1, "records");
    for (const [index, { note }] of rows.entries()) {
      await page.goto("/studio");
      await page.goto(`/studio#/x/${table}?columns=note`);
      await page.getByRole("grid").locator(`[data-row="${index}"]`).getByText(note, { exact: true }).click();
      await page.keyboard.press("Shift+Enter");
      const box = drawer.getByLabel("note", { exact: true });
      check((await box.inputValue()) === note, `the record of ${note}`);
      await box.fill(`${note} changed`);
      await drawer.getByRole("button", { name: "Save" }).click();
      await page.getByText("The record was saved.").waitFor();
      check((await listed(table))[index].note === `${note} changed`, `${note} to be changed, and no other record`);
    }
  });
}

journey("a foreign key leads to the record with an odd key", async (open) => {
  const page = await open();
  const drawer = page.locator(".drawer");
  for (const { id, key } of await listed("child")) {
    const { note } = (await listed("text")).find((row) => row.key === key);
    await page.goto("/studio");
    await page.goto(`/studio#/x/child?open=child%2F${id}`);
    await drawer.getByRole("button", { name: /^Open text/ }).click();
    await drawer.getByRole("heading", { name: new RegExp(`${note}$|^Text`, "i"), level: 2 }).waitFor();
    check((await drawer.getByLabel("note", { exact: true }).inputValue()) === note, `the record of ${key}`);
  }
});
