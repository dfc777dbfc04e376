// Studio next to a project's app: it uses the app's session and shows the client's rows without another sign-in.
import { expect } from "@playwright/test";
import { OWNER, accessible, check, journey, picture, signIn } from "./browser.mjs";

journey("studio uses the session of the app", async (open) => {
  const page = await open();
  await page.goto("/studio");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expect(page.getByLabel("API key"), "the public key of the app is filled in").toHaveValue(/.{9}/);

  await signIn(page, OWNER);
  await page.goto("/studio");
  const tables = page.getByRole("navigation", { name: "Tables" });
  await tables.getByRole("link", { name: "appuser" }).click();
  await page.getByRole("grid").getByText(OWNER.email).waitFor();
  await accessible(page, "a table of the project");
  await picture(page, "studio-project");
  const fields = await page.getByRole("columnheader").allTextContents();
  check(fields.length > 3 && !fields.some((name) => /password|hash/.test(name)), `no hidden column, not ${fields}`);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto("/dashboard/main/dashboardmain");
  await page.getByRole("main").getByRole("button", { name: "Upgrade" }).waitFor();
});
