/** States of screens: name, path, and the steps after opening the path. None of them changes data of the demo. */
const CONTACTS = "/dashboard/main/mycontacts";
const FOUND = "https://www.linkedin.com/in/dara-meyer-1979/";

const openMenu = (name) => async (page) => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("menu").waitFor();
};

/** Presses a button of the screen and waits for its dialog. */
const openDialog = (name) => async (page) => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").first().waitFor();
};

const ERROR = { error: { code: 429, message: "Too many requests", context: { reason: "rate_limited" } } };

/** Rejects one kind of request, after which the screen is opened again. */
const failing = (pattern) => async (page) => {
  await page.route(pattern, (route) => route.fulfill({ status: 429, headers: { "Retry-After": "30" }, json: ERROR }));
  await page.reload();
  await page.getByRole("button", { name: /again|retry/i }).first().waitFor();
};

/** Delays one kind of request, after which the screen is opened again. */
const waiting = (pattern) => async (page) => {
  await page.route(pattern, () => undefined);
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
};

async function look(page, url) {
  await page.getByLabel("Profile URL").fill(url);
  for (const kind of ["Cell Number", "Work Email", "Secondary Email"]) await page.getByRole("checkbox", { name: kind }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
}

async function selectRows(page) {
  const ticks = page.getByRole("row").getByRole("checkbox");
  for (const index of [1, 2, 4]) await ticks.nth(index).check();
}

/** On a phone a row opens its contact; elsewhere a button of the row does, which shows on hover. */
async function firstContact(page) {
  const row = page.getByRole("row").nth(1);
  const button = row.getByRole("button", { name: /^Open [A-Z]/ });
  await row.waitFor();
  await ((await button.count()) ? button.dispatchEvent("click") : row.getByRole("button").last().click());
  await page.getByRole("dialog").waitFor();
}

/** Removes a contact without telling the server. */
async function removeContact(page) {
  await page.route("**/_table/usercontact/*", (route) => route.fulfill({ json: {} }));
  const button = page.getByRole("row").nth(2).getByRole("button", { name: /^Remove / });
  await page.getByRole("row").nth(2).waitFor();
  if (await button.count()) return button.dispatchEvent("click");
  await page.getByRole("row").nth(2).getByRole("button").last().click();
  return page.getByRole("dialog").getByRole("button", { name: /^Remove / }).click();
}

const outcome = (planid) => ({ success: 1, resource: { status: 1, code: 200, data: { planid, status: "complete", settled: 0 } } });

/** The page after a payment, for the plan that the account has. */
async function paid(page) {
  const [answer] = await Promise.all([page.waitForResponse("**/user/session*"), page.reload()]);
  const [{ planid }] = (await answer.json()).client_by_clientid.usersubscription_by_clientid;
  await page.route("**/api/v2/stripe?*", (route) => route.fulfill({ json: outcome(planid) }));
  await page.goto("/dashboard/paysuccess?session_id=cs_1");
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
}

export const STATES = [
  ["login-wrong", "/login", (page) => page.getByRole("button", { name: "Login" }).click()],
  ["register-wrong", "/register", (page) => page.getByRole("button", { name: "Sign up" }).click()],
  ["forgotpassword-sent", "/forgotpassword", async (page) => {
    await page.route("**/user/password?*", (route) => route.fulfill({ json: { success: true } }));
    await page.getByLabel("Email").fill("owner@acme-demo.com");
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByText(/we have sent a link/).waitFor();
  }],
  ["socialcallback-left", "/socialcallback?error=access_denied", (page) => page.getByRole("button", { name: "Go To Login" }).waitFor()],
  ["dashboardmain-waiting", "/dashboard/main/dashboardmain", waiting("**/_table/usercontact*")],
  ["search-options", "/dashboard/main/search", async (page) => {
    await page.getByLabel("Profile URL").fill(FOUND);
    await page.getByLabel("Profile URL").press("Enter");
    await page.getByText("Please choose options").waitFor();
  }],
  ["search-found", "/dashboard/main/search", async (page) => {
    await look(page, FOUND);
    await page.getByText("+**********").first().waitFor();
  }],
  ["search-nobody", "/dashboard/main/search", async (page) => {
    await look(page, "https://www.linkedin.com/in/nobody-of-this-name/");
    await page.getByText("No contact details found.").waitFor();
  }],
  ["mycontacts-drawer", CONTACTS, firstContact],
  ["mycontacts-selected", CONTACTS, selectRows],
  ["mycontacts-undo", CONTACTS, async (page) => {
    await removeContact(page);
    await page.getByRole("button", { name: "Undo", exact: true }).waitFor();
  }],
  ["mycontacts-empty", `${CONTACTS}?search=zzzz`, (page) => page.getByText("no data found").waitFor()],
  ["mycontacts-waiting", CONTACTS, waiting("**/_table/usercontact*")],
  ["mycontacts-failed", CONTACTS, failing("**/_table/usercontact*")],
  ["addmember", "/dashboard/settings/manageseats", openDialog("Add member")],
  ["createkey", "/dashboard/settings/api", openDialog(/^(Create|New|Add)/)],
  ["tryout", "/dashboard/settings/api", openDialog("Try out")],
  ["howtouse", "/dashboard/settings/api", openDialog("How to use")],
  ["paysuccess-paid", "/dashboard/paysuccess", paid],
  ["cancelplan", "/dashboard/settings/billing", openDialog("Cancel Subscription")],
  ["usage-drawer", "/dashboard/settings/usage", openDialog(/revealed by/)],
  ["addon-payment", "/dashboard/creditaddons", openDialog("Buy")],
  ["accountmenu", "/dashboard/settings/password", openMenu("Account menu")],
  ["palette", "/dashboard/settings/password", async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
  }],
  ["shortcuts", "/dashboard/settings/password", async (page) => {
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  }],
];
