/** The owner invites; the member accepts, signs in, is disabled, enabled and deleted; each takes effect at once. */
import { OWNER, check, journey, logIn, picture, signIn } from "./browser.mjs";
import { linkIn, mailTo } from "./mail.mjs";

// As long as a person's address can be: it must not push any column of a table out of view.
const EMAIL = `mia.new${Date.now()}.of-the-international-sales-team@acme-demo.com`;
const PASSWORD = "Member1234";

async function invite(owner) {
  await owner.goto("/dashboard/settings/manageseats");
  await owner.getByRole("button", { name: "Add member" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel("First Name").fill("Mia");
  await dialog.getByLabel("Last Name").fill("Mate");
  await dialog.getByLabel("Email").fill("mia@gmail.com");
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.getByText("Please use a Business Email, free emails are blocked from the platform").waitFor();
  await picture(owner, "addmember");
  await dialog.getByLabel("Email").fill(EMAIL);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.waitFor({ state: "detached" });
  await rowOf(owner).getByText("Invitation Sent").waitFor();
  await inView(owner, "Members of the team");
  await picture(owner, "manageseats-long");
}

/** Checks that the whole table is in view in windows of two widths. */
async function inView(page, table) {
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const box = page.getByRole("region", { name: table });
    await box.waitFor();
    const { scrollWidth, clientWidth } = await box.evaluate((element) => ({ scrollWidth: element.scrollWidth, clientWidth: element.clientWidth }));
    check(scrollWidth <= clientWidth, `the table ${table} to fit into ${clientWidth} px, not ${scrollWidth}`);
  }
}

const rowOf = (owner) => owner.getByRole("row").filter({ hasText: EMAIL });

/** Presses the switch of the member and confirms. */
async function toggle(owner, word, status) {
  await rowOf(owner).getByRole("switch").click({ force: true });
  await owner.getByRole("dialog").getByRole("button", { name: word }).click();
  await rowOf(owner).getByText(status).waitFor();
}

/** Follows a link, unless the end of a change stream has signed the member out already. */
const useOrSignedOut = (page, link, signedOut) => page.getByRole("link", { name: link }).or(signedOut).first().click();

journey("team", async (open) => {
  const owner = await open();
  await signIn(owner, OWNER);
  await invite(owner);

  const mail = await mailTo(EMAIL, "/acceptinvite");
  const [, temporary] = mail.text.match(/temporary password:\s+(\w+)/) ?? [];
  const member = await open();
  await logIn(member, { email: EMAIL, password: temporary });
  await member.getByText("Please Accept your invitation and Sign in").first().waitFor();
  await member.goto(linkIn(mail, "/acceptinvite"));
  await member.getByText("Olivia Owner invites you").waitFor();
  await member.getByText("Acme Demo Inc").waitFor();
  await picture(member, "acceptinvite");
  await member.getByRole("button", { name: "Accept Invitation" }).click();
  await member.waitForURL("**/login");

  await logIn(member, { email: EMAIL, password: temporary });
  await member.waitForURL("**/dashboard/settings/password");
  for (const elsewhere of ["/dashboard/main/search", "/dashboard/settings/myaccount", "/dashboard/main/bulklookup"]) {
    await member.goto(elsewhere);
    await member.waitForURL("**/dashboard/settings/password");
  }
  // The way back ends here again, with an empty form: what is filled in before that is lost.
  await member.getByLabel("Confirm Password").fill("left");
  await member.getByRole("link", { name: "Back to dashboard" }).click();
  await member.waitForFunction(() => [...document.querySelectorAll("input")].every((input) => input.value !== "left"));
  await member.getByRole("alert").getByText("You signed in with a temporary password. Please choose one of your own.").waitFor();
  await picture(member, "password-must");
  await member.getByLabel("Old Password").fill(temporary);
  await member.getByLabel("New Password").fill(PASSWORD);
  await member.getByLabel("Confirm Password").fill(PASSWORD);
  await member.getByRole("button", { name: "Change Password" }).click();
  await member.getByText("Password changed successfully!").waitFor();
  check((await member.getByRole("link", { name: "Manage Seats" }).count()) === 0, "no seats to manage for a member");
  check((await member.getByRole("button", { name: "Upgrade" }).count()) === 0, "nothing to upgrade for a member");

  await owner.reload();
  await toggle(owner, "Disable", "Disabled");
  await useOrSignedOut(member, "Back to dashboard", member.getByRole("heading", { name: "Login" }));
  await member.waitForURL("**/login");
  await logIn(member, { email: EMAIL, password: PASSWORD });
  await member.getByText("Your account is temporarily disabled").first().waitFor();

  await toggle(owner, "Enable", "Enabled");
  await logIn(member, { email: EMAIL, password: PASSWORD });
  await member.waitForURL("**/dashboard/main/dashboardmain");

  await rowOf(owner).getByRole("button", { name: "Delete Mia Mate" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await rowOf(owner).waitFor({ state: "detached" });
  const deleted = member.getByText("You have been deleted by the admin");
  await useOrSignedOut(member, "My Contacts", deleted);
  await member.waitForURL("**/login");
  await deleted.waitFor();
});
