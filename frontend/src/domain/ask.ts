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

/** What a pasted text contains besides the addresses of people: lines without one, and addresses named before. */
export interface LeftOut {
  wrong: number;
  doubles: number;
}

export function leftOut(text: string, host: string): LeftOut {
  const seen = new Set<string>();
  const left = { wrong: 0, doubles: 0 };
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const urls = line.split(SEPARATORS).map((word) => profileUrl(fromHost(word, host), host)).filter((url) => url !== null && namesPerson(url));
    if (urls.length === 0) left.wrong += 1;
    for (const url of urls) {
      if (seen.has(url!.toLowerCase())) left.doubles += 1;
      seen.add(url!.toLowerCase());
    }
  }
  return left;
}

/** The name of a file that was pasted. */
export const PASTED = "pasted.csv";

/** The addresses as the file for a bulk lookup. */
export const fileOf = (urls: readonly string[]): File =>
  new File([["linkedinurl", ...urls.map((url) => `https://${url}`)].join("\n")], PASTED, { type: "text/csv" });
