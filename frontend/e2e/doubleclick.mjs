/** Each button that sends something is double-clicked: its call is sent once. */
import { BASE, OWNER, ask, check, journey } from "./browser.mjs";
import { linkIn, mailTo } from "./mail.mjs";

const PERSON = "dara-meyer-1979";
const OTHER = "felix-flores-1980";
const ACCOUNT = "/dashboard/settings/myaccount";
const GOOD = "4242 4242 4242 4242";
const PHOTO = {
  name: "photo.png",
  mimeType: "image/png",
  buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
};
/** Longer than a double click and than the fade of a dialog. */
const REST_MS = 700;

const stamp = Date.now();

const call = (request) => `${request.method()} ${new URL(request.url()).pathname.replace("/api/v2/", "")}`;

/**
 * Clicks a button twice, as a mouse does, and fails unless one request that matches `expected` was sent. The request
 * is held until the second click, so that the check does not depend on the speed of the answer. A button that waits
 * for a call of the same name, as a price does, is there before the count begins.
 */
async function twice(page, button, expected) {
  await button.waitFor();
  const sent = [];
  const note = (request) => sent.push(call(request));
  page.on("request", note);
  const answered = page.waitForResponse((response) => expected.test(call(response.request())));
  let release;
  const clicked = new Promise((resolve) => {
    release = resolve;
  });
  const hold = async (route) => {
    if (expected.test(call(route.request()))) await clicked;
    await route.continue();
  };
  await page.route("**/api/v2/**", hold);
  await button.dblclick();
  release();
  await answered;
  await page.unroute("**/api/v2/**", hold);
  await page.waitForTimeout(REST_MS);
  page.off("request", note);
  const count = sent.filter((one) => expected.test(one)).length;
  check(count === 1, `${expected} to be sent once, not ${count} times: ${sent.join(", ")}`);
}

const named = (within, name) => within.getByRole("button", { name, exact: true });

const submitOf = (within) => within.locator("button[type=submit]");

async function beforeSignIn(page) {
  const email = `twice${stamp}@fresh-company.example.com`;
  await page.goto("/register");
  await page.getByLabel("First Name").fill("Tara");
  await page.getByLabel("Last Name").fill("Twice");
  await page.getByLabel("Business Email").fill(email);
  await page.getByLabel("Password").fill("Twice1234");
  await page.getByRole("checkbox").check();
  await twice(page, named(page, "Sign up"), /^POST leads\/_table\/client$/);
  await page.waitForURL("**/tellusmore");
  await page.getByLabel("Company").fill("Twice Company");
  await page.getByRole("textbox", { name: "Phone" }).fill("+4930901820");
  await page.getByLabel("Country").selectOption("Germany");
  await page.getByLabel("Sales people").fill("7");
  await twice(page, named(page, "Submit"), /^PATCH leads\/_table\/appuser$/);
  await page.waitForURL("**/verifyemail");
  await twice(page, named(page, "Resend email"), /^POST sendverificationemail$/);
  await page.goto("/forgotpassword");
  await page.getByLabel("Email").fill(email);
  await twice(page, named(page, "Send reset link"), /^POST user\/password$/);
  await page.goto(linkIn(await mailTo(email, "/resetpassword"), "/resetpassword"));
  await page.getByLabel("Password", { exact: true }).fill("Thrice1234");
  await page.getByLabel("Confirm Password").fill("Thrice1234");
  await twice(page, named(page, "Reset password"), /^POST user\/password$/);
  await page.waitForURL("**/login");
}

async function signInTwice(page) {
  await page.goto("/login");
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill("Wrong1234");
  await twice(page, named(page, "Login"), /^POST user\/session$/);
  await page.getByLabel("Password").fill(OWNER.password);
  await twice(page, named(page, "Login"), /^POST user\/session$/);
  await page.waitForURL("**/dashboard/main/dashboardmain");
}

async function lookUp(page) {
  await ask(page, PERSON);
  await twice(page, named(page, "Search"), /^POST searchurl$/);
  await twice(page, page.getByRole("button", { name: /^Reveal Work Email/ }), /^POST getcontact$/);
  await page.getByRole("button", { name: /^Flag .*@/ }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(`right${stamp}@acme.example`);
  await twice(page, named(dialog, "Submit"), /^POST leads\/_table\/contactfeedback$/);

  await page.goto("/dashboard/main/mycontacts");
  await page.getByRole("button", { name: /^Open [A-Z]/ }).first().dispatchEvent("click");
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("textbox", { name: "Note" }).fill(`Twice ${stamp}`);
  await twice(page, named(drawer, "Save"), /^POST contactmeta_addupdate$/);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await page.getByRole("row").nth(1).getByRole("checkbox").check();
  await twice(page, named(page, "Export Excel").first(), /^POST leads\/_table\/usercontact$/);

  await page.goto("/dashboard/main/bulklookup");
  await page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(`linkedinurl\nlinkedin.com/in/${OTHER}`) });
  await twice(page, page.getByRole("button", { name: /^Start lookup/ }), /^POST bulklookup$/);
}

async function account(page) {
  await page.goto(ACCOUNT);
  await page.getByLabel("Billing address").fill(`Street ${stamp}`);
  await twice(page, submitOf(page.getByRole("main")).first(), /^(PATCH|PUT) leads\/_table\/appuser$/);
  await page.locator("input[type=file]").setInputFiles(PHOTO);
  await twice(page, named(page, "Update").first(), /^POST userimage$/);
  await named(page, "Change email").click();
  const dialog = page.getByRole("dialog");
  const address = `twice${stamp}@acme-demo.com`;
  await dialog.getByLabel("New Email").fill(address);
  await dialog.getByLabel("Password").fill(OWNER.password);
  await twice(page, named(dialog, "Send code"), /^POST emailcodeverification$/);
  const link = linkIn(await mailTo(address, ACCOUNT), ACCOUNT);
  await dialog.getByLabel("Verification Code").fill(new URL(link, BASE).searchParams.get("code"));
  await twice(page, named(dialog, "Verify and update"), /^POST emailupdate$/);
  await page.goto("/dashboard/settings/password");
  await page.getByLabel("Old Password").fill(OWNER.password);
  await page.getByLabel("New Password").fill("Twice1234");
  await page.getByLabel("Confirm Password").fill("Twice1234");
  await twice(page, named(page, "Change Password"), /^POST user\/password$/);
  await page.goto("/dashboard/scheduledemo");
  await page.getByLabel("Name").fill("Tara");
  await page.getByLabel("Email").fill("tara@acme-demo.com");
  await page.getByRole("textbox").last().fill("When?");
  await twice(page, submitOf(page.getByRole("main")), /^POST scheduledemoemail$/);
}

async function team(page) {
  const email = `seat${stamp}@acme-demo.com`;
  await page.goto("/dashboard/settings/manageseats");
  await named(page, "Add member").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First Name").fill("Seat");
  await dialog.getByLabel("Last Name").fill("Twice");
  await dialog.getByLabel("Email").fill(email);
  await twice(page, named(dialog, "Send invitation"), /^POST leads\/_table\/appuser$/);
  await twice(page, page.getByRole("row").filter({ hasText: email }).getByRole("button", { name: /^Resend/ }), /^POST sendappuserinviteemail$/);
  await page.getByRole("row").filter({ hasText: "Max Member" }).getByRole("switch").click({ force: true });
  await twice(page, named(dialog, "Disable"), /^(PATCH|PUT) leads\/_table\/appuser$/);
  await page.getByRole("row").filter({ hasText: email }).getByRole("button", { name: /^Delete/ }).click();
  await twice(page, named(dialog, "Delete"), /^DELETE leads\/_table\/appuser/);
}

async function keys(page) {
  await page.goto("/dashboard/settings/api");
  await named(page, "Create API key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Purpose").fill(`twice ${stamp}`);
  await dialog.getByLabel("Password").fill(OWNER.password);
  await twice(page, named(dialog, "Create"), /^POST leads\/_table\/apikeys$/);
  const row = (purpose) => page.getByRole("row").filter({ hasText: `${purpose} ${stamp}` });
  check((await row("twice").count()) === 1, "one key to be made");
  await row("twice").getByRole("button", { name: /^Edit/ }).click();
  await dialog.getByLabel("Purpose").fill(`thrice ${stamp}`);
  await twice(page, named(dialog, "Update"), /^PATCH leads\/_table\/apikeys$/);
  await row("thrice").getByRole("button", { name: /^Delete/ }).click();
  await twice(page, named(dialog, "Delete"), /^PATCH leads\/_table\/apikeys$/);
  await named(page, "Try out").first().click();
  await dialog.getByLabel("LinkedIn").or(dialog.getByPlaceholder(/linkedin/)).first().fill(`linkedin.com/in/${OTHER}`);
  await twice(page, named(dialog, "Fetch Business Emails"), /^GET keylookup$/);
}

async function money(page) {
  await page.goto("/dashboard/creditaddons");
  const card = (name) => page.getByRole("article", { name, exact: true });
  await named(card("100 Cell Numbers"), "Buy").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Card number").fill(GOOD);
  await dialog.getByLabel("Expiry").fill("12/34");
  await dialog.getByLabel("CVC").fill("123");
  await twice(page, named(dialog, "Pay $25"), /^POST addonpayment$/);
  await page.waitForURL("**/dashboard/main/dashboardmain");
  await page.goto("/dashboard/upgradeplan?period=yearly");
  await twice(page, named(card("Business Yearly"), "Upgrade"), /^GET stripe$/);
  await twice(page, page.getByRole("dialog").getByRole("button", { name: /^Confirm and pay/ }), /^PATCH stripe$/);
  await page.goto("/dashboard/settings/billing");
  await twice(page, page.getByRole("button", { name: /PDF/ }).first(), /invoicepdf/);
  await named(page, "Cancel Subscription").click();
  await twice(page, named(dialog, "Cancel Subscription"), /^DELETE stripe$/);
}

async function leave(page) {
  await named(page, "Account menu").click();
  await page.getByRole("menuitem", { name: "Sign Out" }).click();
  await twice(page, named(page.getByRole("dialog"), "Sign Out"), /^DELETE user\/session$/);
}

journey("doubleclick", async (open) => {
  const page = await open();
  await signInTwice(page);
  await lookUp(page);
  await keys(page);
  await money(page);
  await account(page);
  await team(page);
  await leave(page);
  await beforeSignIn(await open());
});
