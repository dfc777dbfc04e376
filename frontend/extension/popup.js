/** The popup of the extension: connect, collect, price, look up. */
import { lookUp, sessionOfPage } from "./api.js";
import { MOST, joined, profilesOf } from "./collect.js";

const at = (id) => document.getElementById(id);
const stored = async () => ({ list: [], account: null, ...(await chrome.storage.session.get(["list", "account"])) });

function say(text, bad = false) {
  at("message").textContent = text;
  at("message").toggleAttribute("data-bad", bad);
}

async function draw() {
  const { list, account } = await stored();
  at("connect").hidden = account !== null;
  at("collect").hidden = account === null;
  at("account").hidden = account === null;
  at("count").textContent = String(list.length);
  at("meter").value = list.length;
  at("clear").hidden = list.length === 0;
  at("who").textContent = account ? `${account.email} at ${account.brand}` : "";
  at("price").disabled = list.length === 0;
  at("price").hidden = false;
  at("send").hidden = true;
}

async function inTab(func) {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func });
  return result;
}

async function connect() {
  const account = await inTab(sessionOfPage).catch(() => null);
  if (!account) return say("This tab is not the app, or you are not signed in there.", true);
  // Saved first, because the permission prompt may close this popup. Only this one host is requested.
  await chrome.storage.session.set({ account });
  const granted = await chrome.permissions.request({ origins: [`${account.origin.replace(/:\d+$/, "")}/*`] });
  if (granted) return say(`Connected to ${account.brand}.`);
  await chrome.storage.session.remove("account");
  say("Without access to that address nothing can be sent.", true);
}

async function collect() {
  const { list } = await stored();
  const found = await inTab(profilesOf).catch(() => []);
  const next = joined(list, found);
  await chrome.storage.session.set({ list: next });
  const added = next.length - list.length;
  say(next.length === MOST ? `The list is full: ${MOST} contacts.` : `${added} added.`, found.length === 0);
}

const kinds = () => [...document.querySelectorAll("input[name=kind]:checked")].map(({ value }) => value);

async function price() {
  const { list, account } = await stored();
  if (kinds().length === 0) return say("Please choose options", true);
  const { estimate } = await lookUp(account, list, kinds(), { max_credits: 0, estimateonly: true });
  at("price").hidden = true;
  at("send").hidden = false;
  at("send").value = String(estimate);
  at("send").textContent = `Look up for ${estimate} credits`;
}

async function send() {
  const { list, account } = await stored();
  const { jobid } = await lookUp(account, list, kinds(), { max_credits: Number(at("send").value) });
  await chrome.storage.session.set({ list: [] });
  await chrome.tabs.create({ url: `${account.origin}/dashboard/main/bulklookup?job=${jobid}` });
}

/** Runs what a button stands for; a session that is over leads back to connecting. */
function on(id, act, { redraw = true } = {}) {
  at(id).addEventListener("click", async () => {
    say("");
    try {
      await act();
    } catch (error) {
      if (error.status === 401) await chrome.storage.session.remove("account");
      say(error.status === 401 ? "Your account access session is expired" : error.message, true);
      await draw();
      return;
    }
    if (redraw) await draw();
  });
}

on("connectnow", connect);
on("collectnow", collect);
on("clear", () => chrome.storage.session.set({ list: [] }));
on("price", price, { redraw: false });
on("send", send);
on("disconnect", () => chrome.storage.session.remove("account"));
for (const box of document.querySelectorAll("input[name=kind]")) box.addEventListener("change", () => void draw());
await draw();
