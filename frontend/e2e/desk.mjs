/** A member of staff sets a password, finds a client, changes credits, looks at the app as its owner, and reads the queue. */
import { MEMBER, OWNER, SMALL, accessible, check, fitsEverywhere, journey, logIn, picture, signIn } from "./browser.mjs";

const STAFF = { email: "sam@desk-demo.com", password: "Staff1234" };
const REASON = "Asked for it in the chat";

async function staffSignsIn(page) {
  await logIn(page, STAFF);
  await page.waitForURL("**/desk");
}

async function setsPassword(page) {
  const { pathname, search } = new URL(process.env.LINK);
  await page.goto(pathname + search);
  await page.locator("input[type=password]").first().fill(STAFF.password);
  await page.locator("input[type=password]").nth(1).fill(STAFF.password);
  await page.locator("form button[type=submit]").click();
  await page.waitForURL("**/login");
}

async function findsClient(page) {
  const work = page.getByRole("region", { name: "Work" });
  await work.getByRole("link", { name: /Failed jobs/ }).getByText("Nothing waiting.").waitFor();
  await accessible(page, "the first page of the desk");
  await picture(page, "desk-work");
  await page.getByRole("textbox", { name: "Client" }).fill(OWNER.email);
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("row").filter({ hasText: OWNER.email }).waitFor();
  await accessible(page, "the search of the desk");
  await picture(page, "desk-find");
  await page.getByRole("row").filter({ hasText: OWNER.email }).getByRole("link").click();
  await page.waitForURL("**/desk/client/**");
  await page.getByRole("region", { name: "Credits" }).waitFor();
}

async function grantsCredits(page) {
  await page.getByRole("button", { name: "Change credits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("How many").fill("250");
  await dialog.getByText("250 credits are added").waitFor();
  await dialog.getByRole("button", { name: "Change credits" }).click();
  await dialog.getByText("Give the reason in at least 3 characters").waitFor();
  await dialog.getByLabel("Reason").fill("write to jane@home.example");
  await dialog.getByRole("button", { name: "Change credits" }).click();
  await dialog.getByText("addresses and phone numbers out of the reason").waitFor();
  await accessible(page, "the dialog of credits", "[role=dialog]");
  await picture(page, "desk-credits");
  await dialog.getByLabel("Reason").fill(REASON);
  await dialog.getByRole("button", { name: "Change credits" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Ledger" }).click();
  await page.getByRole("row").filter({ hasText: "+250" }).filter({ hasText: "Support" }).waitFor();
}

/** The first page lists the most recently opened clients. */
async function goesBackToClient(page) {
  await page.goto("/desk");
  await page.getByRole("region", { name: "Recently opened" }).getByRole("link").first().waitFor();
  await accessible(page, "the clients that were opened last");
  await picture(page, "desk-recent");
  await page.getByRole("region", { name: "Recently opened" }).getByRole("link").first().click();
  await page.getByRole("tab", { name: "Ledger" }).waitFor();
}

async function readsTabs(page) {
  for (const tab of ["Overview", "Users", "Payments", "Sessions", "Audit log", "API keys"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("tabpanel", { name: tab }).waitFor();
    await accessible(page, `the tab ${tab} of a client`);
    await fitsEverywhere(page, `the tab ${tab} of a client`);
    await picture(page, `desk-client-${tab.toLowerCase().replace(" ", "")}`);
  }
}

async function looksAsOwner(page) {
  await page.getByRole("tab", { name: "Users" }).click();
  await page.getByRole("row").filter({ hasText: OWNER.email }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "View as this user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The owner is notified by email").waitFor();
  await dialog.getByLabel("Reason").fill(REASON);
  await dialog.getByRole("button", { name: "View the app" }).click();
  await page.waitForURL("**/dashboard/main/dashboardmain");
  await page.getByText("Support view of").waitFor();
  await accessible(page, "the dashboard in a support view");
  await picture(page, "desk-view");
  await page.goto("/dashboard/main/mycontacts");
  await page.getByRole("row").nth(1).waitFor();
  check(!(await page.locator("main").innerText()).includes("@"), "no address of a contact in a support view");
  await picture(page, "desk-view-contacts");
  await page.goto("/dashboard/settings/myaccount");
  await page.getByText("Support view of").waitFor();
  await page.getByRole("button", { name: "Back to the desk" }).click();
  await page.waitForURL("**/desk");
  await page.getByRole("textbox", { name: "Client" }).waitFor();
}

async function readsLists(page) {
  for (const [link, name] of [["Feedback", "feedback"], ["Queue", "queue"], ["Payment events", "payments"]]) {
    if (page.viewportSize().width === SMALL.width) await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: link }).click();
    await page.getByRole("heading", { level: 1, name: link }).waitFor();
    await accessible(page, `the page ${link} of the desk`);
    await fitsEverywhere(page, `the page ${link} of the desk`);
    await picture(page, `desk-${name}`);
  }
}

async function nothingForOthers(page) {
  const scripts = [];
  page.on("request", (request) => scripts.push(request.url()));
  await signIn(page, MEMBER);
  await page.goto("/desk");
  await page.getByRole("heading", { level: 1 }).waitFor();
  check(!scripts.some((url) => /DeskScreen|i18n\.desk|SupportBanner/.test(url)), "no script of the desk for a member");
  check(!(await page.locator("body").innerText()).includes("Queue"), "nothing of the desk for a member");
}

async function ownerReadsIt(owner) {
  await signIn(owner, OWNER);
  let left = ["Credits changed by support", "Viewed by support"];
  for (let page = 1; left.length && page < 5; page += 1) {
    await owner.goto(`/dashboard/settings/auditlog?page=${page}`);
    await owner.getByRole("row").nth(2).waitFor();
    const shown = (await owner.getByRole("row").allInnerTexts()).join();
    left = left.filter((event) => !shown.includes(event));
  }
  check(left.length === 0, `the audit log to tell the owner: ${left}`);
  await owner.goto("/dashboard/settings/creditledger");
  await owner.getByRole("row").filter({ hasText: "+250" }).waitFor();
}

journey("desk", async (open) => {
  const page = await open();
  await setsPassword(page);
  await staffSignsIn(page);
  await page.goto("/dashboard/main/search");
  await page.waitForURL("**/desk");
  await findsClient(page);
  await grantsCredits(page);
  await goesBackToClient(page);
  await readsTabs(page);
  await looksAsOwner(page);
  await readsLists(page);

  const small = await open({ viewport: SMALL, colorScheme: "dark" });
  await staffSignsIn(small);
  await findsClient(small);
  await readsTabs(small);
  await readsLists(small);

  await nothingForOthers(await open());
  await ownerReadsIt(await open());
});
