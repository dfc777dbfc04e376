/**
 * Sign-in with a provider in its popup: a known address is signed in, a new one goes to the second step, a rejected
 * one stays. Without a password, signing in again proves that it is the user.
 */
import { OWNER, accessible, check, journey, picture } from "./browser.mjs";

/** Presses the provider's button and fills in the stand-in's form. */
async function enter(page, button, email, { verified = true, from = "/login" } = {}) {
  await page.goto(from);
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByRole("button", { name: button }).click()]);
  await popup.getByLabel("Email").fill(email);
  await popup.getByLabel("Name").fill("Sam Social");
  if (!verified) await popup.getByLabel("Address is verified").uncheck();
  await Promise.all([popup.waitForEvent("close"), popup.getByRole("button", { name: "Continue" }).click()]);
}

/** A new account is created only after the terms are accepted. */
async function acceptTerms(page, email) {
  const dialog = page.getByRole("dialog");
  await dialog.getByText(email).waitFor();
  await dialog.getByRole("button", { name: "Create account" }).click();
  await dialog.getByText("Please accept the terms and conditions").waitFor();
  await accessible(page, "the question for the terms", "[role=dialog]");
  await picture(page, "social-terms");
  check(new URL(page.url()).pathname === "/login", "no account before the terms are accepted");
  await dialog.getByRole("checkbox", { name: /terms and conditions/ }).check();
  await dialog.getByRole("button", { name: "Create account" }).click();
}

/** Without a password, another sign-in proves that it is the user; the only linked sign-in stays. */
async function signsInAgain(page, vendor, email) {
  await page.goto("/dashboard/settings/password");
  const remove = page.getByRole("button", { name: `Remove ${vendor} ${email}` });
  await remove.waitFor();
  check(await remove.isDisabled(), "the only linked sign-in to stay");
  await accessible(page, "the only linked sign-in");
  await picture(page, "identities-last");
  await page.goto("/dashboard/settings/myaccount");
  await page.getByRole("button", { name: "Change email" }).click();
  const again = page.getByRole("button", { name: `Sign in again with ${vendor}` });
  const [popup] = await Promise.all([page.waitForEvent("popup"), again.click()]);
  await popup.getByLabel("Email").fill(email);
  await popup.getByLabel("Name").fill("Sam Social");
  await Promise.all([popup.waitForEvent("close"), popup.getByRole("button", { name: "Continue" }).click()]);
  await page.getByText("You have signed in again.").waitFor();
  await picture(page, "signed-in-again");
}

/** The provider's final page, opened without a sign-in in progress. */
async function leftAlone(page) {
  await page.goto("/socialcallback?error=access_denied");
  await page.getByRole("heading", { name: "The sign-in was not completed" }).waitFor();
  await accessible(page, "a sign-in that was not completed");
  await page.getByRole("button", { name: "Go To Login" }).click();
  await page.waitForURL("**/login");
}

journey("social", async (open) => {
  await leftAlone(await open());
  for (const [vendor, button] of [["google", "Continue with Google"], ["linkedin", "Continue with LinkedIn"]]) {
    const known = await open();
    await enter(known, button, OWNER.email, { from: "/dashboard/settings/usage?tab=api" });
    await known.waitForURL("**/dashboard/settings/usage?tab=api");
    await known.getByRole("link", { name: "Back to dashboard" }).click();
    await known.getByRole("heading", { name: "Good to see you, Olivia" }).waitFor();

    const email = `sam.${vendor}${Date.now()}@social-company.example.com`;
    const fresh = await open();
    await enter(fresh, button, email);
    await acceptTerms(fresh, email);
    await fresh.waitForURL("**/tellusmore");
    await fresh.getByRole("button", { name: "Skip" }).click();
    await fresh.waitForURL("**/dashboard/main/dashboardmain");
    await signsInAgain(fresh, vendor === "google" ? "Google" : "LinkedIn", email);

    // A free address is rejected before the terms are shown.
    const free = await open();
    await enter(free, button, "sam.social@gmail.com");
    await free.getByRole("alert").filter({ hasText: "Please use your business email to register" }).waitFor();
    check((await free.getByRole("dialog").count()) === 0, "no question for the terms of an address that is refused");

    const refused = await open();
    await enter(refused, button, email, { verified: false });
    await refused.getByRole("alert").filter({ hasText: /^Something went wrong!.*The provider has not verified this email address\.$/ }).waitFor();
    check(new URL(refused.url()).pathname === "/login", "somebody whose address is not verified to stay outside");
  }
});
