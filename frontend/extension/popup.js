/** The panel of the extension, as its popup and as a frame on a profile page: connect, the person, collect, look up. */
import { addToList, creditsOf, listsOf, lookUp, personOf, report, reveal, sessionOfPage } from "./api.js";
import { MOST, joined, profileOf, profilesOf } from "./collect.js";
import { balanceOf, linesOf, payable } from "./person.js";
import { speak, spoken, t } from "./texts.js";

const at = (id) => document.getElementById(id);
const stored = async () => ({ list: [], account: null, ...(await chrome.storage.session.get(["list", "account"])) });
/** The address of the app at the last connection; kept when the browser closes, unlike the session. */
const lastOrigin = async () => (await chrome.storage.local.get("origin")).origin;
const framed = window.parent !== window;

/** The current state: the profile of the tab, its person (undefined if unknown), and the chosen view. */
const shown = { url: null, card: undefined, credits: null, lists: [], view: "person" };

function say(text, bad = false) {
  at("message").textContent = text;
  at("message").toggleAttribute("data-bad", bad);
}

async function draw() {
  const { list, account } = await stored();
  const person = account !== null && shown.url !== null && shown.view === "person";
  translate(account);
  at("brand").textContent = account?.brand ?? t("name");
  at("close").hidden = !framed;
  at("views").hidden = account === null || shown.url === null;
  at("toperson").setAttribute("aria-pressed", String(person));
  at("tolist").setAttribute("aria-pressed", String(!person));
  at("tolist").textContent = t("tolist", { count: list.length });
  at("connect").hidden = account !== null;
  at("connectnow").hidden = framed;
  at("how").hidden = framed;
  at("howframed").hidden = !framed;
  if (account === null) await drawApp();
  at("person").hidden = !person;
  at("collect").hidden = account === null || person;
  at("account").hidden = account === null;
  at("count").textContent = String(list.length);
  at("ofmost").textContent = t("contacts", { count: "", most: MOST }).trim();
  at("meter").value = list.length;
  at("clear").hidden = list.length === 0;
  at("collected").hidden = list.length === 0;
  at("addresses").replaceChildren(...list.map((url) => Object.assign(document.createElement("li"), { textContent: url.replace("https://www.", "") })));
  at("who").textContent = account ? account.email : "";
  at("price").disabled = list.length === 0;
  at("price").hidden = false;
  at("send").hidden = true;
  at("left").hidden = account === null || shown.credits === null;
  if (shown.credits) at("credits").replaceChildren(...balanceOf(shown.credits));
  if (person) drawPerson();
}

/** Translates the page into the language of the app, or of the browser until it is connected. */
function translate(account) {
  speak(account ? account.language : navigator.language.slice(0, 2));
  document.documentElement.lang = spoken();
  document.title = account?.brand ?? t("name");
  for (const part of document.querySelectorAll("[data-t]")) part.textContent = t(part.dataset.t);
  for (const part of document.querySelectorAll("[data-label]")) part.setAttribute("aria-label", t(part.dataset.label));
  at("listname").placeholder = t("listname");
}

async function drawApp() {
  const origin = await lastOrigin();
  at("open").hidden = !origin;
  if (origin) Object.assign(at("open"), { href: origin, textContent: t("open", { host: new URL(origin).host }) });
}

function drawPerson(fresh = []) {
  const { card } = shown;
  at("name").textContent = card ? card.full_name : t("nobody");
  at("about").textContent = card ? [card.title, card.company, card.city].filter(Boolean).join(" · ") : t("free");
  at("kinds").replaceChildren(...(card ? linesOf(card, fresh, acts) : []));
  at("kinds").hidden = !card;
  const open = card ? payable(card) : [];
  at("revealall").hidden = open.length < 2;
  at("revealall").textContent = t("revealall", { count: open.length });
  at("keep").hidden = !card;
  at("lists").replaceChildren(...shown.lists.map(({ name }) => Object.assign(document.createElement("option"), { value: name })));
  at("stay").hidden = framed;
}

/** The tab that the panel belongs to: the one with its frame, or the one under the popup. */
async function theTab() {
  if (framed) return chrome.tabs.getCurrent();
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}

async function inTab(target) {
  const tab = await theTab();
  const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, ...target });
  return result;
}

/** Looks up the profile of the tab, unless it is shown already. */
async function follow() {
  const { account } = await stored();
  const url = profileOf((await theTab())?.url);
  if (url === shown.url || !account) return;
  Object.assign(shown, { url, card: undefined, view: "person" });
  if (url === null) return draw();
  say(t("fetching"));
  const [card, credits, lists] = await Promise.all([personOf(account, url), creditsOf(account), listsOf(account)]);
  if (shown.url !== url) return; // the tab has navigated away
  Object.assign(shown, { card, credits, lists });
  say("");
  await draw();
}

/** Fetches the balance for a tab without a profile; with one it comes with the person. */
async function weigh() {
  const { account } = await stored();
  if (!account || shown.url !== null || shown.credits !== null) return;
  shown.credits = await creditsOf(account);
  await draw();
}

/** Reveals kinds one by one, so that paid values show even when the next one is rejected. */
async function buy(kinds) {
  say("");
  const { account } = await stored();
  const done = [];
  for (const button of document.querySelectorAll("#person button")) button.disabled = true;
  try {
    for (const { type } of kinds) {
      shown.credits = await reveal(account, shown.url, type);
      done.push(type);
    }
  } finally {
    for (const button of document.querySelectorAll("#person button")) button.disabled = false;
    if (done.length > 0) shown.card = await personOf(account, shown.url);
    await draw();
    drawPerson(done);
  }
  say(t("saved"));
}

async function copy(value) {
  await navigator.clipboard.writeText(value);
  say(t("copied"));
}

async function flag(...answer) {
  const { account } = await stored();
  await report(account, shown.url, ...answer);
  say(t("thanks"));
}

/** What the lines of a person do. */
const acts = {
  onReveal: (kind) => void attempt(() => buy([kind])),
  onCopy: (value) => void attempt(() => copy(value)),
  onReport: (...answer) => void attempt(() => flag(...answer)),
};

async function keep() {
  const { account } = await stored();
  const name = at("listname").value.trim();
  if (!name) return say(t("nameless"), true);
  const added = await addToList(account, shown.lists, name, shown.url);
  shown.lists = await listsOf(account);
  at("listname").value = "";
  say(t(added ? "added" : "already", { name }));
}

async function stay() {
  await inTab({ files: ["frame.js"] });
  window.close();
}

async function connect() {
  const account = await inTab({ func: sessionOfPage }).catch(() => null);
  if (!account) return say(t("notapp"), true);
  // Saved first, because the permission prompt may close this popup. Only this one host is requested.
  await chrome.storage.session.set({ account });
  await chrome.storage.local.set({ origin: account.origin });
  const granted = await chrome.permissions.request({ origins: [`${account.origin.replace(/:\d+$/, "")}/*`] });
  translate(account);
  if (granted) return say(t("connected", { brand: account.brand }));
  await chrome.storage.session.remove("account");
  say(t("noaccess"), true);
}

async function collect() {
  const { list } = await stored();
  const found = await inTab({ func: profilesOf }).catch(() => []);
  const next = joined(list, found);
  await chrome.storage.session.set({ list: next });
  const added = next.length - list.length;
  say(next.length === MOST ? t("full", { most: MOST }) : t("more", { count: added }), found.length === 0);
}

const kinds = () => [...document.querySelectorAll("input[name=kind]:checked")].map(({ value }) => value);

async function price() {
  const { list, account } = await stored();
  if (kinds().length === 0) return say(t("choose"), true);
  const { estimate } = await lookUp(account, list, kinds(), { max_credits: 0, estimateonly: true });
  at("price").hidden = true;
  at("send").hidden = false;
  at("send").value = String(estimate);
  at("send").textContent = t("send", { count: estimate });
}

async function send() {
  const { list, account } = await stored();
  const { jobid } = await lookUp(account, list, kinds(), { max_credits: Number(at("send").value) });
  await chrome.storage.session.set({ list: [] });
  await chrome.tabs.create({ url: `${account.origin}/dashboard/main/bulklookup?job=${jobid}` });
}

async function disconnect() {
  await chrome.storage.session.remove("account");
  Object.assign(shown, { url: null, card: undefined, credits: null, lists: [] });
}

/** Runs an action and shows its error; an ended session leads back to connecting. */
async function attempt(act) {
  try {
    await act();
    return true;
  } catch (error) {
    if (error.status === 401) await disconnect();
    say(error.status === 401 ? t("expired") : error.message, true);
    await draw();
    return false;
  }
}

/** Runs the action of a button. */
function on(id, act, { redraw = true } = {}) {
  at(id).addEventListener("click", async () => {
    say("");
    if ((await attempt(act)) && redraw) await draw();
  });
}

on("connectnow", connect);
on("collectnow", collect);
on("clear", () => chrome.storage.session.set({ list: [] }));
on("price", price, { redraw: false });
on("send", send);
on("disconnect", disconnect);
on("toperson", () => (shown.view = "person"));
on("tolist", () => (shown.view = "list"));
on("revealall", () => buy(payable(shown.card)), { redraw: false });
on("stay", stay, { redraw: false });
on("close", () => window.parent.postMessage("close", "*"), { redraw: false });
at("keep").addEventListener("submit", (event) => {
  event.preventDefault();
  say("");
  void attempt(keep).then(() => draw());
});
for (const box of document.querySelectorAll("input[name=kind]")) box.addEventListener("change", () => void draw());
document.documentElement.toggleAttribute("data-framed", framed);
// The network goes from one profile to the next without loading a page.
chrome.tabs.onUpdated.addListener(() => void attempt(follow));
chrome.tabs.onActivated.addListener(() => void attempt(follow));
// Connected or disconnected in another panel.
chrome.storage.session.onChanged.addListener(() => void draw().then(() => attempt(follow)).then(() => attempt(weigh)));
await draw();
await attempt(follow);
await attempt(weigh);
