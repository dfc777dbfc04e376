/** The buttons of mails are clicked in the mailbox of the demo: verification, invitation, a forgotten password, the change
 of an address and its undoing, a receipt. A frame that blocks them would end the visit of every newcomer there. */
import { BASE, MEMBER, OWNER, check, journey, signIn } from "./browser.mjs";
import { mailTo } from "./mail.mjs";

const ACCOUNT = "/dashboard/settings/myaccount";
const PASSWORD = "Secret1234";
const COMPANY = `links-${Date.now()}.com`;

/** Opens the mail in the mailbox, clicks its link to `path`, and returns the page that it opens. */
async function follow(page, address, path) {
  const { id } = await mailTo(address, path);
  const box = await page.context().newPage();
  await box.goto(`/sandbox/mail/${id}`);
  const link = box.frameLocator("iframe[title='The mail']").locator(`a[href*="${path}"]`).first();
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await opened.waitForURL((url) => url.href.startsWith(BASE));
  await opened.getByRole("heading", { level: 1 }).waitFor();
  await box.close();
  return opened;
}

async function verification(page) {
  const email = `vera@${COMPANY}`;
  await page.goto("/register");
  await page.getByLabel("First Name").fill("Vera");
  await page.getByLabel("Last Name").fill("Visitor");
  await page.getByLabel("Business Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.waitForURL("**/tellusmore");
  await page.getByLabel("Company").fill("Links");
  await page.getByRole("textbox", { name: "Phone" }).fill("+4930901820");
  await page.getByLabel("Country").selectOption("Germany");
  await page.getByLabel("Sales people").fill("7");
  await page.getByLabel("Department").fill("Sales");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL("**/verifyemail");
  const opened = await follow(page, email, "/emailverification");
  await opened.getByRole("heading", { name: "Good to see you, Vera" }).waitFor();
  return { page: opened, email };
}

/** The new address confirms the change; the old one takes it back. */
async function changedAddress({ page, email }) {
  const next = `vera.second@${COMPANY}`;
  await page.goto(ACCOUNT);
  await page.getByRole("button", { name: "Change email" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("New Email").fill(next);
  await dialog.getByLabel("Password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Send code" }).click();
  const opened = await follow(page, next, ACCOUNT);
  await opened.getByRole("button", { name: "Verify and update" }).click();
  await opened.getByText("Email updated successfully!").waitFor();
  const undo = await follow(page, email, "/undoemail");
  await undo.getByRole("button", { name: "Undo the change" }).click();
  await undo.getByRole("heading", { name: "The change has been undone" }).waitFor();
}

async function receipt(page) {
  await page.goto("/dashboard/creditaddons");
  await page.getByRole("article", { name: "100 Cell Numbers" }).getByRole("button", { name: "Buy" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Card number").fill("4242 4242 4242 4242");
  await dialog.getByLabel("Expiry").fill("12/34");
  await dialog.getByLabel("CVC").fill("123");
  await dialog.getByRole("button", { name: /^Pay/ }).click();
  await page.waitForURL("**/dashboard/main/dashboardmain");
  const opened = await follow(page, OWNER.email, "/dashboard/settings/billing");
  await opened.getByRole("cell", { name: "$25.00" }).first().waitFor();
}

async function forgottenPassword(page) {
  await page.goto("/forgotpassword");
  await page.getByLabel("Email").fill(MEMBER.email);
  await page.locator("form").getByRole("button").first().click();
  const opened = await follow(page, MEMBER.email, "/resetpassword");
  check((await opened.getByLabel("Email").inputValue()) === MEMBER.email, "the address of the mail in the form");
}

async function invitation(page) {
  const email = `ina@${COMPANY}`;
  await page.goto("/dashboard/settings/manageseats");
  await page.getByRole("button", { name: "Add member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First Name").fill("Ina");
  await dialog.getByLabel("Last Name").fill("Invited");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.waitFor({ state: "detached" });
  const opened = await follow(page, email, "/acceptinvite");
  await opened.getByText("Acme").first().waitFor();
}

journey("links", async (open) => {
  await changedAddress(await verification(await open()));
  await forgottenPassword(await open());
  const owner = await open();
  await signIn(owner, OWNER);
  await invitation(owner);
  await receipt(owner);
});
