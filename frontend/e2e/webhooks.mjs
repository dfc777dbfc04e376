/** Webhooks of an account: add one, see its secret, test it, change, pause and delete it. */
import { OWNER, SMALL, accessible, check, journey, picture, signIn } from "./browser.mjs";

const SETTINGS = "/dashboard/settings/webhooks";
// A name that no look-up finds (RFC 2606).
const URL_HERE = "https://hooks.invalid/hook";

async function adds(page) {
  await page.goto(SETTINGS);
  await page.getByText("No webhooks yet").waitFor();
  await accessible(page, "webhooks, none yet");
  await picture(page, "webhooks-none");
  await page.getByRole("button", { name: "Add webhook" }).click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: "Add webhook" });
  await submit.click();
  await dialog.getByText("Please enter an address").waitFor();
  await dialog.getByLabel("Address").fill("http://hooks.example.com/");
  await dialog.getByLabel("Password").fill(OWNER.password);
  await dialog.getByRole("checkbox", { name: "Plan changed" }).uncheck();
  await submit.click();
  await dialog.getByText("Enter an address that begins with https://").waitFor();
  await accessible(page, "the form of a webhook", "[role=dialog]");
  await picture(page, "webhooks-form");
  await dialog.getByLabel("Address").fill(URL_HERE);
  await dialog.getByLabel("Address").press("Enter");
  const secret = await dialog.locator("code").innerText();
  check(/^whsec_[\w+/=]{44}$/.test(secret), `a secret, not ${secret}`);
  await picture(page, "webhooks-secret");
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
}

const list = (page, name) => page.locator(`[aria-label="${name}"]`);
const menu = (page) => page.getByRole("button", { name: `Actions for ${URL_HERE}` });

async function choose(page, item) {
  await menu(page).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function tests(page) {
  await list(page, "Webhooks").getByText("Bulk lookup finished, Contact revealed, Credits low").waitFor();
  await choose(page, "Send a test");
  await page.getByText("Not delivered. The address is not reachable from the internet").waitFor();
  const deliveries = list(page, "Deliveries");
  await deliveries.getByRole("row").filter({ hasText: "Failed" }).waitFor();
  await accessible(page, "webhooks with a delivery");
  await picture(page, "webhooks");
  await deliveries.getByRole("button", { name: /^Send Test/ }).click();
  await page.getByText("The event is sent again.").waitFor();
  await page.setViewportSize(SMALL);
  await picture(page, "webhooks");
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function changes(page) {
  const table = list(page, "Webhooks");
  await choose(page, "Pause");
  await table.getByText("Paused").waitFor();
  await choose(page, "Resume");
  await table.getByText("Active").waitFor();
  await choose(page, "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Plan changed" }).check();
  await dialog.getByRole("checkbox", { name: "Credits low" }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await table.getByText("Plan changed").waitFor();
  await choose(page, "Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhooks yet").waitFor();
}

journey("webhooks", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await adds(page);
  await tests(page);
  await changes(page);
});
