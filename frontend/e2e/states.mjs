/** States of screens: name, path, and the steps after the path is open. None of them changes data of the demo. */
const CONTACTS = "/dashboard/main/mycontacts";
const FOUND = "https://www.linkedin.com/in/dara-meyer-1979/";

const openMenu = (name) => (page) => page.getByRole("button", { name }).first().click();

/** Presses a button of the screen and waits for its dialog. */
const openDialog = (name) => async (page) => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").first().waitFor();
};

const REFUSAL = { error: { code: 429, message: "Too many requests", context: { reason: "rate_limited" } } };

/** Refuses one kind of request, after which the screen is opened again. */
const failing = (pattern) => async (page) => {
  await page.route(pattern, (route) => route.fulfill({ status: 429, headers: { "Retry-After": "30" }, json: REFUSAL }));
  await page.reload();
  await page.getByRole("button", { name: /again|retry/i }).first().waitFor();
};

/** Holds one kind of request, after which the screen is opened again. */
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

export const STATES = [
  ["login-wrong", "/login", (page) => page.getByRole("button", { name: "Login" }).click()],
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
  ["mycontacts-empty", `${CONTACTS}?search=zzzz`, (page) => page.getByText("no data found").waitFor()],
  ["mycontacts-waiting", CONTACTS, waiting("**/_table/usercontact*")],
  ["mycontacts-failed", CONTACTS, failing("**/_table/usercontact*")],
  ["addmember", "/dashboard/settings/manageseats", openDialog("Add member")],
  ["createkey", "/dashboard/settings/api", openDialog(/^(Create|New|Add)/)],
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
