/** Normalises pasted addresses of professional profiles. Pure. */

const MINI_PROFILE = "miniprofileurn";

/** Soft hyphens, zero-width characters and direction marks, which often occur in text copied from pages and chats. */
const INVISIBLE = /\u00ad|\u200b|[\u200e\u200f\u202a-\u202e\u2060-\u2064]|\ufeff/g;

/** Removes invisible characters, surrounding blanks, protocol, www, the fragment and slashes at the end. */
function cleanUrl(text: string): string {
  return text
    .replace(INVISIBLE, "")
    .trim()
    .replace(/^(https?:)?\/*/i, "")
    .replace(/^www\./i, "")
    .replace(/#.*$/, "")
    .replace(/\/+$/, "");
}

/** The cleaned address, or null when it names no profile: another host, or a mini-profile parameter. */
export function profileUrl(text: string, host: string): string | null {
  const url = cleanUrl(text);
  return isOfHost(url, host.toLowerCase()) && !url.toLowerCase().includes(MINI_PROFILE) ? url : null;
}

/** Whether an address without a protocol is on the host itself or on a sub-domain of it, as the server decides. */
function isOfHost(url: string, host: string): boolean {
  const [authority = ""] = url.split(/[/?]/, 1);
  const name = authority.toLowerCase().replace(/:\d{1,5}$/, "").replace(/\.+$/, "");
  return name === host || (name.endsWith(`.${host}`) && !name.includes("@"));
}

/** Whether the path of an address is that of a person, and not of a company, a post or a list of Sales Navigator. */
export const namesPerson = (url: string): boolean => /^[^/]*\/+(m(wlite)?\/+)?(in|pub)\/+[^/?]/i.test(url);

/** The words of a person's address that may be their name: without numbers and other marks. */
export function nameIn(url: string): string {
  const [, slug = ""] = url.match(/\/(?:in|pub)\/+([^/?]+)/i) ?? [];
  const words = slug.split("-").filter((word) => /^[a-z]{2,}$/i.test(word));
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(" ");
}

/** The address of a profile starting at the network's host, as the look-up API takes it. Others stay unchanged.

 Text around the address is dropped: only a word that is an address of the host counts, not one that contains it.
*/
export function fromHost(text: string, host: string): string {
  const words = text.split(/\s+/).map((word) => word.replace(/^[("'<[]+|[)"'>\],;]+$/g, "").replace(/^[a-z-]+:(?=https?:)/i, ""));
  for (const word of [text, ...words]) {
    const url = /\S\s+\S/.test(word) ? null : profileUrl(word, host);
    if (url !== null) return url.slice(url.toLowerCase().indexOf(host.toLowerCase()));
  }
  return text.trim().replace(/\/+$/, "");
}
