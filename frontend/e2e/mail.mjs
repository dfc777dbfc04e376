/** Reads the demo mailbox: the newest mail to an address, and the link in it. */
import { BASE, check } from "./browser.mjs";

const PATIENCE_MS = 20_000;
const PAUSE_MS = 200;

/** The newest mail to an address that contains a link to `path`; waits until it has arrived. */
export async function mailTo(address, path) {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const response = await fetch(`${BASE}/sandbox/mail`, { headers: { Accept: "application/json" } });
    const mails = await response.json();
    const found = mails.find(({ to, text }) => to.includes(address) && text.includes(path));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return check(false, `a mail to ${address} with a link to ${path}`);
}

/** The link to `path` in a mail, on this server. */
export function linkIn({ text }, path) {
  const [link] = text.match(new RegExp(`https?://\\S+${path}\\?\\S+`)) ?? [];
  const { pathname, search } = new URL(link);
  return pathname + search;
}
