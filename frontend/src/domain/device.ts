/** The browser and system of a user agent. Pure. */

// The first match counts: several browsers also call themselves Chrome or Safari.
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\bFirefox\/|\bFxiOS\//],
  ["Chrome", /Chrome\/|\bCriOS\//],
  ["Safari", /\bSafari\//],
  ["curl", /^curl\//],
  ["Python", /^python/i],
];

const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ["iOS", /\b(iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b|\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

const first = (names: readonly [string, RegExp][], text: string) => names.find(([, mark]) => mark.test(text))?.[0];

/** `Chrome, Linux`; an empty text if neither is known. */
export function deviceOf(useragent: string | null): string {
  const text = useragent ?? "";
  return [first(BROWSERS, text), first(SYSTEMS, text)].filter(Boolean).join(", ");
}
