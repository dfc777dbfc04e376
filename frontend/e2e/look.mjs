/** Every screen at two widths: drawn, clean for axe, no layout wider than the window. Pictures into SHOTS. */
import { OWNER, SMALL, WIDE, accessible, check, journey, picture, signIn } from "./browser.mjs";

const BEFORE = [
  ["login", "/login", "Login"],
  ["register", "/register", "Sign up"],
  ["forgotpassword", "/forgotpassword", "Forgot password?"],
  ["resetpassword", "/resetpassword?email=a%40b.co&code=abc", "Set a new password"],
  ["emailverification", "/emailverification?email=a%40b.co&code=abc", "This link has expired"],
  ["termsofuse", "/termsofuse", "Terms & Conditions"],
  ["privacypolicy", "/privacypolicy", "Privacy Policy"],
  ["acceptinvite", "/acceptinvite?email=a%40b.co&code=abc", "User not found"],
];

const INSIDE = [
  ["dashboardmain", "/dashboard/main/dashboardmain", /^Good to see you/],
  ["search", "/dashboard/main/search", "Search"],
  ["mycontacts", "/dashboard/main/mycontacts", "My Contacts"],
  ["bulklookup", "/dashboard/main/bulklookup", "Bulk lookup"],
  ["scheduledemo", "/dashboard/scheduledemo", "Schedule a demo"],
  ["chromeprivacy", "/dashboard/chromeprivacy", "Chrome Privacy"],
  ["myaccount", "/dashboard/settings", "My Account"],
  ["password", "/dashboard/settings/password", "Change password"],
  ["manageseats", "/dashboard/settings/manageseats", "Manage Seats"],
  ["billing", "/dashboard/settings/billing", "Billing"],
  ["plans", "/dashboard/settings/plans", "Plans"],
  ["usage", "/dashboard/settings/usage", "Usage"],
  ["usageapi", "/dashboard/settings/usage?tab=api", "Usage"],
  ["api", "/dashboard/settings/api", "API keys"],
  ["privacy", "/dashboard/settings/privacy", "Privacy"],
  ["sessions", "/dashboard/settings/sessions", "Sessions"],
  ["auditlog", "/dashboard/settings/auditlog", "Audit log"],
  ["creditledger", "/dashboard/settings/creditledger", "Credit ledger"],
  ["upgradeplan", "/dashboard/upgradeplan", "Plans"],
  ["creditaddons", "/dashboard/creditaddons", "Credit add-ons"],
  ["paysuccess", "/dashboard/paysuccess", "No payment here"],
  ["payfail", "/dashboard/payfail", "Payment Failed"],
  ["notfound", "/dashboard/nowhere", "This page does not exist"],
];

async function look(page, [name, path, heading]) {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  await picture(page, name);
  await accessible(page, name);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(wider <= 0, `${name} to fit its window, it is ${wider} px wider`);
}

/** The page of the API finds its key by itself. */
async function lookAtDocs(page) {
  await page.goto("/api/docs");
  await page.getByRole("heading", { level: 2, name: "Authentication" }).waitFor();
  await picture(page, "apidocs");
}

journey("look", async (open) => {
  await lookAtDocs(await open());
  for (const viewport of [WIDE, SMALL]) {
    const page = await open({ viewport });
    for (const screen of BEFORE) await look(page, screen);
    await signIn(page, OWNER);
    for (const screen of INSIDE) await look(page, screen);
  }
});
