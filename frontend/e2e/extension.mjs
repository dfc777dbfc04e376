/** The extension in real tabs: refused where it has no business, connected in the app, collecting from lists of people,
 priced, looked up, and over when the session is over. */
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, test } from "@playwright/test";
import { BASE, CHROMIUM, OWNER, SMALL, accessible, check, picture, signIn } from "./browser.mjs";
import { TIMEOUT } from "./server.mjs";

const NETWORK = "https://www.linkedin.com";
const KNOWN = ["ivan-kim-1988", "dara-meyer-1979"];

/** The built extension with one difference: an automated browser has no toolbar to click and cannot answer the
 permission prompt, so the manifest grants the two hosts. */
function unpacked(folder) {
  const to = join(folder, "extension");
  cpSync(new URL("../extension", import.meta.url).pathname, to, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  const file = join(to, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.host_permissions = [`${BASE.replace(/:\d+$/, "")}/*`, `${NETWORK}/*`];
  writeFileSync(file, JSON.stringify(manifest));
  return to;
}

/** Chromium makes the id of an unpacked extension of its path: 16 bytes as letters from a to p. */
const idOf = (path) =>
  createHash("sha256").update(path).digest("hex").slice(0, 32).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));

/** A page of the network that lists people as its search does: links around names, also twice, also to elsewhere. */
const listOf = (names) => `<!doctype html><title>People</title><main><ul>${names
  .map((name) => `<li><a href="/in/${name}?miniProfileUrn=urn%3Ali"><img alt=""></a><a href="https://de.linkedin.com/in/${name}/">${name}</a></li>`)
  .join("")}</ul><a href="/company/acme/">Acme</a><a href="https://linkedin.com.example/in/mallory/">Mallory</a></main>`;

const LISTS = {
  "1": listOf([...KNOWN, "nobody-at-all"]),
  "2": listOf([KNOWN[0], ...Array.from({ length: 250 }, (_, index) => `stranger-${index}`)]),
  empty: "<!doctype html><title>People</title><main>No results found</main>",
};

async function served(context) {
  await context.route(`${NETWORK}/**`, (route) => {
    const list = LISTS[new URL(route.request().url()).searchParams.get("page")];
    return route.fulfill(list ? { contentType: "text/html", body: list } : { status: 404, body: "" });
  });
}

async function walk(context, path) {
  context.setDefaultTimeout(TIMEOUT);
  await served(context);
  const tab = await context.newPage();
  const popup = await context.newPage();
  await popup.setViewportSize(SMALL);
  await popup.goto(`chrome-extension://${idOf(path)}/popup.html`);
  const message = popup.getByRole("status");
  // The window of an extension stands over the tab that it was opened on; here that tab comes to the front instead.
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

  // Nothing there, three people, the same three again, and more than there is room for.
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
  await app.locator('a[href*="mycontacts?contact="]').nth(KNOWN.length - 1).waitFor();
  await app.getByText(`${price} credits charged`).waitFor();
  await picture(app, "extension-job");
  await popup.reload();
  check((await popup.locator("#count").textContent()) === "0", "an empty list after sending it");

  await tab.goto(`${NETWORK}/search/results/people/?page=2`);
  await click("Collect from this page");
  await says("The list is full: 200 contacts.");
  await click("Clear");
  await popup.getByText("0 of 200 contacts collected").waitFor();

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
  const path = unpacked(folder);
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
