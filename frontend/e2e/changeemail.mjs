/**
 * Changes the e-mail address: errors save nothing else, the mailed link survives the sign-in, the session continues, and
 * the old address undoes it.
 */
import { MEMBER, OWNER, SMALL, accessible, check, journey, picture, signIn } from "./browser.mjs";
import { linkIn, mailTo } from "./mail.mjs";

const ACCOUNT = "/dashboard/settings/myaccount";
const stamp = Date.now();
const CHANGED = "Email updated successfully!";

/** The write requests that a page sends, as "METHOD path". */
function writesOf(page) {
  const writes = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && pathname !== "/api/v2/user/session") writes.push(`${request.method()} ${pathname}`);
  });
  return writes;
}

async function openDialog(page) {
  await page.goto(ACCOUNT);
  await page.getByRole("button", { name: "Change email" }).click();
  return page.getByRole("dialog");
}

/** Sends a code to a new address and returns its mail. */
async function requestCode(page, dialog, address, password = OWNER.password) {
  await dialog.getByLabel("New Email").fill(address);
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByRole("button", { name: "Send code" }).click();
  await dialog.getByLabel("Verification Code").waitFor();
  return mailTo(address, ACCOUNT);
}

const codeIn = (mail) => new URL(linkIn(mail, ACCOUNT), "http://x").searchParams.get("code");

async function rejectedValuesSaveNothing(page) {
  const dialog = await openDialog(page);
  const writes = writesOf(page);
  await dialog.getByRole("button", { name: "Send code" }).click();
  await dialog.getByText("Please enter your email address").waitFor();
  await dialog.getByLabel("New Email").fill("olivia@gmail.com");
  await dialog.getByLabel("New Email").press("Enter");
  await dialog.getByText("Please enter your password").waitFor();
  await accessible(page, "the form of a new address", "[role=dialog]");
  await dialog.getByLabel("Password").fill(OWNER.password);
  await dialog.getByLabel("New Email").press("Enter");
  await dialog.getByText("Please use a Business Email, free emails are blocked from the platform").waitFor();
  await picture(page, "changeemail-refused");
  check((await page.getByText("Profile updated successfully!").count()) === 0, "no word of a saved profile");
  check(String(writes) === "POST /api/v2/validatedomain", `the dialog alone to be sent, not ${writes}`);
}

/** The answer that carries the new session is held back while the page asks with the old one. */
async function changeWhileAsking(page, address) {
  const dialog = await openDialog(page);
  const mail = await requestCode(page, dialog, address);
  let refused = 0;
  page.on("response", (response) => (refused += response.status() === 401 ? 1 : 0));
  await page.route("**/api/v2/emailupdate", async (route) => {
    const response = await route.fetch();
    const unauthorized = page.waitForResponse((answer) => answer.url().endsWith("/user/session") && answer.status() === 401);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await unauthorized;
    await route.fulfill({ response });
  });
  await dialog.getByLabel("Verification Code").fill(codeIn(mail));
  await dialog.getByRole("button", { name: "Verify and update" }).click();
  await page.getByText(CHANGED).waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.unroute("**/api/v2/emailupdate");
  check(refused > 0, "the old session to be refused on the way");
  check(new URL(page.url()).pathname === ACCOUNT, `to stay at the account, not ${page.url()}`);
  await page.locator(`input[readonly][value="${address}"]`).waitFor();
}

/** A second tab that works with the old session is not signed out, and does not sign the first one out. */
async function otherTabGoesOn(page, address) {
  const second = await page.context().newPage();
  await second.goto("/dashboard/main/mycontacts");
  await second.getByRole("heading", { name: "My Contacts" }).waitFor();
  const dialog = await openDialog(page);
  const mail = await requestCode(page, dialog, address);
  await dialog.getByLabel("Verification Code").fill(codeIn(mail));
  await dialog.getByRole("button", { name: "Verify and update" }).click();
  await page.getByText(CHANGED).waitFor();
  await second.getByRole("link", { name: "Search", exact: true }).click();
  await second.getByRole("heading", { name: "Search", exact: false, level: 1 }).waitFor();
  await Promise.all([
    second.waitForResponse((answer) => answer.url().endsWith("/user/session") && answer.ok()),
    second.evaluate(() => window.dispatchEvent(new Event("visibilitychange"))),
  ]);
  check(second.url().endsWith("/dashboard/main/search"), `the second tab to stay signed in, not at ${second.url()}`);
  await second.close();
}

/** The mailed link, opened without a session, is opened again after the sign-in. */
async function linkSurvivesSignIn(open, page, from, address) {
  const dialog = await openDialog(page);
  const mail = await requestCode(page, dialog, address, from.password);
  const elsewhere = await open();
  await elsewhere.goto(linkIn(mail, ACCOUNT));
  await elsewhere.waitForURL("**/login");
  await elsewhere.getByLabel("Email").fill(from.email);
  await elsewhere.getByLabel("Password").fill(from.password);
  await elsewhere.getByRole("button", { name: "Login" }).click();
  const linked = elsewhere.getByRole("dialog");
  check((await linked.getByLabel("Verification Code").inputValue()) === codeIn(mail), "the code of the mail to be filled in");
  await linked.getByRole("button", { name: "Verify and update" }).click();
  await elsewhere.getByText(CHANGED).waitFor();
  check(!elsewhere.url().includes("code="), "the code to leave the address bar");
}

/** The notice to the old address leads to a page that takes the account back. */
async function oldAddressUndoes(open, page, from) {
  const mail = await mailTo(from.email, "/undoemail");
  const undo = await open();
  await undo.goto("/undoemail?code=unknown");
  await undo.getByRole("heading", { name: "This link has expired" }).waitFor();
  await accessible(undo, "an expired link");
  await undo.goto(linkIn(mail, "/undoemail"));
  const submit = undo.getByRole("button", { name: "Undo the change" });
  await submit.waitFor();
  await accessible(undo, "the undone change");
  await picture(undo, "undoemail");
  await undo.setViewportSize(SMALL);
  await picture(undo, "undoemail");
  await submit.click();
  await undo.getByRole("heading", { name: "The change has been undone" }).waitFor();
  await picture(undo, "undoemail-done");
  await page.goto("/dashboard/settings/password");
  await page.waitForURL("**/login");
  const reset = await mailTo(from.email, "/resetpassword");
  check(linkIn(reset, "/resetpassword").includes("code="), "a link to set a password at the old address");
}

journey("changeemail", async (open) => {
  const page = await open();
  await signIn(page, OWNER);
  await rejectedValuesSaveNothing(page);
  await changeWhileAsking(page, `olivia.second${stamp}@acme-demo.com`);
  await otherTabGoesOn(page, `olivia.third${stamp}@acme-demo.com`);

  const member = await open();
  await signIn(member, MEMBER);
  await linkSurvivesSignIn(open, member, MEMBER, `member.second${stamp}@acme-demo.com`);
  await oldAddressUndoes(open, member, MEMBER);
});
