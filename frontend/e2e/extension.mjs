/** The extension in real tabs: refused where it has no business, connected in the app, collecting from lists of people,
 priced, looked up, a panel on the pages of profiles, and over when the session is over. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, test } from "@playwright/test";
import { unzipSync } from "fflate";
import { BASE, CHROMIUM, OWNER, SMALL, accessible, check, picture, signIn } from "./browser.mjs";
import { TIMEOUT } from "./server.mjs";

const NETWORK = "https://www.linkedin.com";
const KNOWN = ["ivan-kim-1988", "dara-meyer-1979"];

/** The extension as the app offers it, with one difference: an automated browser has no toolbar to click and cannot answer
 the permission prompt, so the manifest grants the two hosts. */
async function unpacked(folder) {
  const zip = new Uint8Array(await (await fetch(`${BASE}/extension.zip`)).arrayBuffer());
  const to = join(folder, "openlead");
  mkdirSync(to);
  for (const [name, content] of Object.entries(unzipSync(zip))) writeFileSync(join(folder, name), content);
  const file = join(to, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  check(manifest.host_permissions === undefined, "no host in the manifest without a question to the user");
  manifest.host_permissions = [`${BASE.replace(/:\d+$/, "")}/*`, `${NETWORK}/*`];
  writeFileSync(file, JSON.stringify(manifest));
  return to;
}

/** Chromium derives the id of an unpacked extension from its path: 16 bytes as letters from a to p. */
const idOf = (path) =>
  createHash("sha256").update(path).digest("hex").slice(0, 32).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));

/** A page of the network that lists people as its search does: links around names, some twice, some to other sites. */
const listOf = (names) => `<!doctype html><title>People</title><main><ul>${names
  .map((name) => `<li><a href="/in/${name}?miniProfileUrn=urn%3Ali"><img alt=""></a><a href="https://de.linkedin.com/in/${name}/">${name}</a></li>`)
  .join("")}</ul><a href="/company/acme/">Acme</a><a href="https://linkedin.com.example/in/mallory/">Mallory</a></main>`;

const LISTS = {
  "1": listOf([...KNOWN, "nobody-at-all"]),
  "2": listOf([KNOWN[0], ...Array.from({ length: 250 }, (_, index) => `stranger-${index}`)]),
  empty: "<!doctype html><title>People</title><main>No results found</main>",
};

// A profile page, which allows no frames of other sites.
const PROFILE = {
  contentType: "text/html",
  headers: { "Content-Security-Policy": "default-src 'self'; frame-src 'none'" },
  body: "<!doctype html><title>Profile</title><h1>Profile</h1>",
};

async function served(context) {
  await context.route(`${NETWORK}/**`, (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.startsWith("/in/")) return route.fulfill(PROFILE);
    const list = LISTS[searchParams.get("page")];
    return route.fulfill(list ? { contentType: "text/html", body: list } : { status: 404, body: "" });
  });
}

/** The panel over a profile: the person, prices, a reveal, a list; then as a frame in the page itself. */
async function profile(context, path, tab, popup) {
  const says = (text) => popup.getByRole("status").filter({ hasText: text }).waitFor();
  await tab.goto(`${NETWORK}/in/nobody-at-all/`);
  await tab.bringToFront();
  await popup.getByText("No contact details found.").waitFor();
  check((await popup.getByRole("button", { name: /^Reveal/ }).count()) === 0, "nothing to reveal of a stranger");
  await accessible(popup, "extension, nobody known");
  await picture(popup, "extension-nobody");

  await tab.goto(`${NETWORK}/in/${KNOWN[0]}/`);
  const card = popup.getByRole("region", { name: "This person" });
  await card.getByRole("heading", { name: "Ivan Kim" }).waitFor();
  // A kind already bought for the list costs nothing, and its line names the buyer.
  const memory = card.getByText(/^0 credits, .+ revealed this on \d+ \w+$/);
  await memory.waitFor();
  await card.locator('a[href^="mailto:"]').first().waitFor();
  check((await card.locator('a[href^="tel:"]').count()) === 0, "no number before it is paid for");
  await accessible(popup, "extension, a person");
  await picture(popup, "extension-person");
  await popup.emulateMedia({ colorScheme: "dark" });
  await picture(popup, "extension-person-dark");
  await popup.emulateMedia({ colorScheme: null });
  const left = async (label) => Number((await popup.locator("#credits div", { hasText: label }).locator("dd").textContent()).replaceAll(",", ""));
  const before = await left("Cell Number");
  await card.getByRole("button", { name: "Reveal Cell Number · 1 credit" }).click();
  await says("Saved in My Contacts.");
  const number = card.locator('a[href^="tel:"]').first();
  check(/^\+\d+ [\d ]+/.test(await number.textContent()), `a number in groups, it is ${await number.textContent()}`);
  check((await left("Cell Number")) === before - 1, "one credit less");
  await card.getByRole("link", { name: "Call", exact: true }).first().waitFor();
  await card.getByText("Report", { exact: true }).first().click();
  await card.getByRole("button", { name: /^Out of service/ }).click();
  await says("Thanks! Your feedback has been submitted.");
  check(await popup.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing beside the panel");
  check((await memory.count()) === 2, "both reveals remembered");

  // A list is created by its name, and contains the person once.
  await card.getByLabel("List").fill("From profiles");
  await card.getByRole("button", { name: "Add to list" }).click();
  await says("Added to “From profiles”.");
  await card.getByLabel("List").fill("From profiles");
  await card.getByRole("button", { name: "Add to list" }).click();
  await says("Already on “From profiles”.");
  await picture(popup, "extension-revealed");

  const second = await context.newPage();
  await second.goto(`chrome-extension://${idOf(path)}/popup.html`);
  await tab.bringToFront();
  await second.getByRole("button", { name: "Show this panel on the page" }).click();
  const panel = tab.frameLocator("#contact-panel");
  await panel.getByRole("heading", { name: "Ivan Kim" }).waitFor();
  check(await tab.evaluate(() => document.querySelector("#contact-panel").contentDocument === null), "nothing of the panel for the page to read");
  for (const scheme of ["light", "dark"]) {
    await tab.emulateMedia({ colorScheme: scheme });
    await picture(tab, `extension-panel-${scheme}`);
  }
  // The network changes to the next profile without loading a page; the panel follows.
  await tab.evaluate((name) => history.pushState({}, "", `/in/${name}/`), KNOWN[1]);
  await panel.getByRole("heading", { name: "Dara Meyer" }).waitFor();
  await panel.getByRole("button", { name: /^Reveal all · \d credits$/ }).or(panel.getByRole("button", { name: /^Reveal/ }).first()).first().waitFor();
  // The frame ends with the click, so Playwright may not see the end of an ordinary one.
  await panel.getByRole("button", { name: "Close" }).evaluate((button) => void setTimeout(() => button.click()));
  await tab.locator("#contact-panel").waitFor({ state: "detached" });
  if (!second.isClosed()) await second.close();
}

/** The panel uses the language of the app that it is connected to. */
async function german(context, tab, popup, click) {
  await context.addCookies([{ name: "language", value: "de", url: BASE }]);
  await tab.goto("/dashboard/main/search");
  await tab.getByRole("heading", { level: 1, name: "Suche" }).waitFor();
  await click("Disconnect");
  await click("Connect to this tab");
  await popup.getByText("Verbunden mit").waitFor();
  await popup.getByText("Übrige Credits").waitFor();
  await tab.goto(`${NETWORK}/in/${KNOWN[0]}/`);
  await popup.getByRole("region", { name: "Diese Person" }).getByText(/^0 Credits, aufgedeckt von /).first().waitFor();
  await accessible(popup, "extension, in German");
  await picture(popup, "extension-german");
  await popup.getByRole("button", { name: /^Liste \d+$/ }).click();
  await popup.getByText("von 200 Kontakten gesammelt").waitFor();
  await picture(popup, "extension-german-list");
  await context.clearCookies({ name: "language" });
  await tab.goto("/dashboard/main/search");
  await tab.getByRole("heading", { level: 1, name: "Search" }).waitFor();
  await click("Trennen");
  await click("Connect to this tab");
  await popup.getByText("Connected to").waitFor();
}

async function walk(context, path) {
  context.setDefaultTimeout(TIMEOUT);
  await served(context);
  const tab = await context.newPage();
  const popup = await context.newPage();
  await popup.setViewportSize(SMALL);
  await popup.goto(`chrome-extension://${idOf(path)}/popup.html`);
  const message = popup.getByRole("status");
  // An extension's popup covers the tab that it was opened on; here that tab is brought to the front instead.
  const click = async (name) => {
    await tab.bringToFront();
    await popup.getByRole("button", { name }).click();
  };
  const says = (text) => message.filter({ hasText: text }).waitFor();

  // Neither a page of the network nor the app without a session can be connected to.
  await tab.goto(`${NETWORK}/search/results/people/?page=1`);
  await click("Connect to this tab");
  await says("This tab is not the app, or you are not signed in there.");
  await tab.goto("/login");
  await click("Connect to this tab");
  await says("This tab is not the app, or you are not signed in there.");
  check(await popup.getByRole("button", { name: "Collect from this page" }).isHidden(), "nothing to collect without a connection");
  await picture(popup, "extension-refused");

  await signIn(tab, OWNER);
  await click("Connect to this tab");
  await says("Connected to");
  await popup.getByText(OWNER.email).waitFor();
  check(await popup.getByRole("button", { name: "Show price" }).isDisabled(), "no price of an empty list");
  await accessible(popup, "extension");

  // No people, three, the same three again, and more than fit.
  await tab.goto(`${NETWORK}/search/results/people/?page=empty`);
  await click("Collect from this page");
  await says("0 added.");
  await tab.goto(`${NETWORK}/search/results/people/?page=1`);
  await click("Collect from this page");
  await says("3 added.");
  await click("Collect from this page");
  await says("0 added.");
  check((await popup.locator("#count").textContent()) === "3", "three people in the list");
  await picture(popup, "extension-collected");

  // Two of them are known; one kind of each costs one credit.
  await popup.getByLabel("Secondary Email").uncheck();
  await popup.getByLabel("Work Email").uncheck();
  await popup.getByLabel("Cell Number").uncheck();
  await click("Show price");
  await says("Please choose options");
  await popup.getByLabel("Work Email").check();
  await click("Show price");
  const offer = popup.getByRole("button", { name: /^Look up for \d+ credits$/ });
  await offer.waitFor();
  await picture(popup, "extension-priced");
  const price = Number((await offer.textContent()).match(/\d+/)[0]);
  check(price === KNOWN.length, `a price of ${KNOWN.length} credits, it is ${price}`);
  const [app] = await Promise.all([context.waitForEvent("page"), click(/^Look up for/)]);
  await app.waitForURL("**/dashboard/main/bulklookup?job=*");
  await app.getByText("Nothing found", { exact: true }).waitFor();
  await app.getByRole("row").getByRole("button", { name: /^(Ivan Kim|Dara Meyer)$/ }).nth(KNOWN.length - 1).waitFor();
  await app.getByText(`${price} credits charged`).waitFor();
  await picture(app, "extension-job");
  await popup.reload();
  check((await popup.locator("#count").textContent()) === "0", "an empty list after sending it");

  await tab.goto(`${NETWORK}/search/results/people/?page=2`);
  await click("Collect from this page");
  await says("The list is full: 200 contacts.");
  await click("Clear");
  await popup.getByText("0 of 200 contacts collected").waitFor();

  await profile(context, path, tab, popup);
  await german(context, tab, popup, click);

  // The session ends in the app: the next call reports it and leads back to connecting.
  await tab.goto(`${NETWORK}/search/results/people/?page=1`);
  await click("Collect from this page");
  await says("3 added.");
  await app.evaluate(async () => {
    const { appkey } = await (await fetch("/api/v2/config")).json();
    const token = JSON.parse(localStorage.getItem("session")).state.session.sessionToken;
    await fetch("/api/v2/user/session", { method: "DELETE", headers: { "X-API-Key": appkey, "X-Session-Token": token } });
  });
  await popup.getByLabel("Work Email").check();
  await click("Show price");
  await says("Your account access session is expired");
  await popup.getByRole("button", { name: "Connect to this tab" }).waitFor();
}

test("extension", async () => {
  const folder = mkdtempSync(join(tmpdir(), "extension-"));
  const path = await unpacked(folder);
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: CHROMIUM,
    baseURL: BASE,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: ["--headless=new", "--no-sandbox", `--disable-extensions-except=${path}`, `--load-extension=${path}`],
  });
  try {
    await walk(context, path);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
