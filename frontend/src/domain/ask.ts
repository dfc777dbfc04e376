/** Parses the input of the universal search box: one profile, many, or a name. Pure. */
import { fromHost, namesPerson, profileUrl } from "./profileurl";

export type Ask = { kind: "profile"; url: string } | { kind: "profiles"; urls: string[] } | { kind: "name"; text: string } | { kind: "nothing" };

/** The maximum of a bulk lookup. */
export const MOST_PROFILES = 1000;
const LONGEST_NAME = 100;
const SEPARATORS = /[\s,;|]+/;

export function readAsk(text: string, host: string): Ask {
  const urls = new Map<string, string>();
  for (const word of text.split(SEPARATORS)) {
    const url = profileUrl(fromHost(word, host), host);
    if (url !== null && (namesPerson(url) || !urls.size)) urls.set(url.toLowerCase(), urls.get(url.toLowerCase()) ?? url);
  }
  const found = [...urls.values()].slice(0, MOST_PROFILES);
  if (found.length > 1) return { kind: "profiles", urls: found };
  if (found.length === 1) return { kind: "profile", url: found[0]! };
  const name = text.trim().replaceAll(/\s+/g, " ");
  const isName = /\p{L}/u.test(name) && !/[/@]|\.\p{L}{2,}/u.test(name) && name.length <= LONGEST_NAME;
  return isName ? { kind: "name", text: name } : { kind: "nothing" };
}

/** The addresses as the file for a bulk lookup. */
export const fileOf = (urls: readonly string[]): File =>
  new File([["linkedinurl", ...urls.map((url) => `https://${url}`)].join("\n")], "pasted.csv", { type: "text/csv" });
