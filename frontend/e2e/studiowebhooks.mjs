/** The webhooks of a database in Studio: a test, the delivery log, and a replay. */
import { BASE, SMALL, WIDE, accessible, check, checkOf, journey, picture } from "./browser.mjs";

journey("a webhook is tested, and an event of its log replayed", async (open) => {
  const page = await open();
  await page.goto("/studio");
  await page.getByLabel("API key").fill("admin");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("heading", { name: "orders", level: 2 }).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^The test was accepted: 204 in \d+ ms\.$/).waitFor();
  const log = page.getByRole("region", { name: "Last attempts" });
  await log.getByRole("row").filter({ hasText: "orders.test" }).getByText("204").waitFor();
  await page.getByText("Active", { exact: true }).waitFor();

  const changed = await fetch(`${BASE}/api/v2/shop/_table/orders/1`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json", "X-API-Key": "admin" },
    body: JSON.stringify({ status: "paid" }),
  });
  check(changed.ok, "the change to be accepted");
  const event = log.getByRole("row").filter({ hasText: "orders.updated" });
  await event.getByText("204").waitFor();
  for (const viewport of [SMALL, WIDE]) {
    await page.setViewportSize(viewport);
    for (const scheme of ["dark", "light"]) {
      await page.evaluate((value) => document.documentElement.setAttribute("data-mantine-color-scheme", value), scheme);
      await checkOf(scheme)(page, `the webhooks, ${scheme}, at ${viewport.width}`);
      await picture(page, `studio-webhooks-${scheme}`);
    }
  }
  await event.getByRole("button", { name: /^Replay msg_/ }).click();
  await page.getByText("1 event is sent again.").waitFor();
  // The receiver counts arrivals; here the log must show the event as delivered once more.
  await page.getByText("Waiting").locator("..").getByText("0").waitFor();
  await event.getByText("204").waitFor();

  await page.getByRole("button", { name: "Replay", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Replay events of orders" });
  await dialog.getByLabel("Since").waitFor();
  await accessible(page, "the dialog of a replay", "dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
});
