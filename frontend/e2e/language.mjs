/** The language is chosen before the sign-in or in My Account, applies from the first page on, outlives a sign-out, and
 is used in mails. */
import { MEMBER, NARROW, OWNER, SMALL, WIDE, accessible, check, fits, journey, picture, signIn, unfollowed } from "./browser.mjs";
import { mailTo } from "./mail.mjs";
import { INSIDE } from "./screens.mjs";

const RESET = "/resetpassword";

/** Asks for a new password on the current page, and returns the subject of the mail. */
async function resetMail(page, { email }, { field, submit }) {
  await page.goto("/forgotpassword");
  await page.getByLabel(field, { exact: true }).fill(email);
  await page.getByRole("button", { name: submit }).click();
  return (await mailTo(email, RESET)).subject;
}

/** German words are longer than the English ones that the layout was designed with. */
async function everyScreenFits(page) {
  for (const [name, path] of INSIDE) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    for (const viewport of [NARROW, SMALL, WIDE]) {
      await page.setViewportSize(viewport);
      await fits(page, `${name} in German at ${viewport.width} px`);
    }
  }
}

journey("language", async (open) => {
  const page = await open({ locale: "de-DE" });
  await unfollowed(page);
  await page.goto("/login");
  await page.getByRole("heading", { level: 1, name: "Login" }).waitFor();
  check((await page.evaluate(() => document.documentElement.lang)) === "en", "English until another language is chosen");
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("heading", { level: 1, name: "Anmelden" }).waitFor();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { level: 1, name: "Login" }).waitFor();
  // The browser prefers German, but the mail is in the language of the page.
  const english = await resetMail(page, MEMBER, { field: "Email", submit: "Send reset link" });
  check(english === "Set a new password", `a mail in English: ${english}`);
  await signIn(page, OWNER);

  await page.goto("/dashboard/settings/myaccount");
  await page.getByLabel("Time zone", { exact: true }).selectOption("Asia/Tokyo");
  await page.getByLabel("Language", { exact: true }).selectOption("Deutsch");
  await page.getByLabel("Sprache", { exact: true }).waitFor();
  check((await page.getByLabel("Zeitzone", { exact: true }).inputValue()) === "Asia/Tokyo", "the time zone to be kept");
  check((await page.evaluate(() => document.documentElement.lang)) === "de", "the page to say that it is German");
  await accessible(page, "the account in German");
  await picture(page, "myaccount-german");

  await page.goto("/dashboard/main/mycontacts");
  await page.getByRole("heading", { level: 1, name: "Meine Kontakte" }).waitFor();
  await page.getByRole("row").nth(1).waitFor();
  await picture(page, "mycontacts-german");
  await page.goto("/dashboard/settings/billing");
  await page.getByText(/\d{1,2}\. (Jan\.|Feb\.|März|Apr\.|Mai|Juni|Juli|Aug\.|Sept\.|Okt\.|Nov\.|Dez\.) \d{4}/).first().waitFor();
  await page.goto("/dashboard/upgradeplan");
  await page.getByText("Zum Ausprobieren, mit einer Handvoll Credits.").waitFor();
  await picture(page, "upgradeplan-german");
  await everyScreenFits(page);

  await page.getByRole("button", { name: "Kontomenü" }).click();
  await page.getByRole("menuitem", { name: "Abmelden" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Abmelden" }).click();
  await page.waitForURL("**/login");
  await page.getByRole("heading", { level: 1, name: "Anmelden" }).waitFor();
  check(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(OWNER.email), "no session in the local storage after a sign-out");
  await accessible(page, "the sign-in in German");
  await picture(page, "login-german");
  await page.getByLabel("E-Mail", { exact: true }).fill(OWNER.email);
  await page.getByLabel("Passwort", { exact: true }).fill("Falsch123");
  await page.getByRole("button", { name: "Anmelden", exact: true }).click();
  await page.getByText("E-Mail-Adresse oder Passwort ist falsch").waitFor();
  const german = await resetMail(page, OWNER, { field: "E-Mail", submit: "Link senden" });
  check(german === "Legen Sie ein neues Passwort fest", `a mail in German: ${german}`);

  // Another browser of the same user, with no language chosen.
  const other = await open();
  await unfollowed(other);
  await signIn(other, OWNER);
  await other.getByRole("link", { name: "Meine Kontakte" }).first().waitFor();
  check((await other.evaluate(() => document.documentElement.lang)) === "de", "the language of the account in a new browser");
});
