/** A browser and its system, read from what it calls itself. Pure. */

// The first that matches counts: several call themselves Chrome or Safari too.
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

/** `Chrome, Linux`; an empty text where nothing is known. */
export function deviceOf(useragent: string | null): string {
  const text = useragent ?? "";
  return [first(BROWSERS, text), first(SYSTEMS, text)].filter(Boolean).join(", ");
}

/** What an entry of the audit log is about: its target, and the reason that support gave. */
export function targetText(target: string | null, detail: unknown): string {
  const { reason } = (detail ?? {}) as { reason?: unknown };
  return [target, typeof reason === "string" ? reason : null].filter(Boolean).join(": ");
}

/** `plan_downgrade_recorded` as words: `Plan downgrade recorded`. */
export function eventText(name: string): string {
  const words = name.replaceAll("_", " ").trim().replace(/^sign(in|out)\b/, "sign-$1").replace(/^addon\b/, "add-on");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
