/** Changes made elsewhere appear in the open screen: a contact that a program reveals, and the balance it costs. */
import { MEMBER, OWNER, check, journey, picture, signIn } from "./browser.mjs";

const PERSON = { profile: "https://www.linkedin.com/in/dara-meyer-1979/", name: /dara meyer/i };
const API = "/api/v2";

/** The first balance of the sidebar. */
async function credits(page) {
  const box = page.getByRole("region", { name: "Credits left" });
  await box.waitFor();
  return Number((await box.getByRole("definition").first().textContent()).replaceAll(",", ""));
}

/** Reveals the person as a program would: with an API key of the account. */
async function revealByKey(page) {
  const { appkey, dataset } = await (await page.request.get(`${API}/config`)).json();
  const session = await page.request.post(`${API}/user/session`, { headers: { "X-API-Key": appkey }, data: OWNER });
  const headers = { "X-API-Key": appkey, "X-Session-Token": (await session.json()).session_token };
  const made = await page.request.post(`${API}/${dataset}/_table/apikeys`, { headers, data: { resource: [{ purpose: "CRM" }] } });
  const key = (await made.json()).resource[0].apikey;
  const query = new URLSearchParams({ linkedinurl: PERSON.profile, type: "directdials" });
  const found = await page.request.get(`${API}/keylookup?${query}`, { headers: { "X-API-Key": key } });
  check((await found.json()).charged === 1, `the key to be charged one credit: ${await found.text()}`);
}

const opened = (page, table) => page.waitForResponse((response) => response.url().includes(`/${table}/_changes`) && response.ok());

journey("changes", async (open) => {
  const page = await open();
  const balance = opened(page, "usercredit");
  await signIn(page, OWNER);
  await balance;
  const before = await credits(page);

  const list = opened(page, "usercontact");
  await page.getByRole("link", { name: "My Contacts" }).first().click();
  await page.getByRole("heading", { level: 1, name: "My Contacts" }).waitFor();
  await page.getByRole("table").waitFor();
  await list;
  check((await page.getByRole("cell", { name: PERSON.name }).count()) === 0, "a person who has not been revealed yet");
  await page.evaluate(() => (window.sameDocument = true));
  const counted = [];
  page.on("request", (request) => request.url().includes("user/session") && counted.push(request.url()));

  await revealByKey(page);
  await page.getByRole("table").getByText(PERSON.name).first().waitFor();
  await page.waitForFunction((left) => document.body.textContent.replaceAll(",", "").includes(String(left)), before - 1);
  check((await credits(page)) === before - 1, `one credit less than ${before} in the sidebar`);
  check(await page.evaluate(() => window.sameDocument === true), "the page not to be loaded again");
  check(counted.length === 0, "the account not to be asked for");
  await picture(page, "changes");

  // A colleague's screens show the balance of the account, but not the contact.
  const colleague = await open();
  const shared = opened(colleague, "usercredit");
  await signIn(colleague, MEMBER);
  await shared;
  check((await credits(colleague)) === before - 1, "a member to see the same balance");
});
