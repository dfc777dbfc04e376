/** Entries of the audit log and of the credit ledger in words. Pure. */
import { t } from "../lib/i18n.dashboard";
import { events as texts } from "../texts/en/events";

const { events } = texts;

/** The kind of object that the number in an entry identifies. */
export type Named = "user" | "plan" | "key";

const NAMED: Readonly<Record<string, Named>> = {
  account: "user", email: "user", invitation: "user", member: "user", password: "user", addon: "plan", plan: "plan", key: "key",
};

/** The kind of object that an entry's target identifies, if it is a number: the plan 4 of `plan_changed`. */
export const namedBy = (event: string, target: string | null): Named | undefined =>
  target !== null && /^\d+$/.test(target) ? NAMED[event.split("_")[0]!] : undefined;

/** The number of the contact that an entry is about: that of `contact 12` in a reveal. */
export function contactOf({ event, target }: { event: string; target: string | null }): number | null {
  const number = event === "reveal" ? /^contact (\d+)$/.exec(target ?? "")?.[1] : undefined;
  return number ? Number(number) : null;
}

/** The subject of an entry in the audit log: its target, and the reason that support gave. */
export function targetText(target: string | null, detail: unknown): string {
  const { reason } = (detail ?? {}) as { reason?: unknown };
  return [target, typeof reason === "string" ? reason : null].filter(Boolean).join(": ");
}

/** The name of an entry, or a state, in the language of the reader. One without a text is its words: `Partly paid`. */
export function eventText(name: string): string {
  if (isKnown(name)) return t(`events.${name}`);
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isKnown = (name: string): name is keyof typeof events => Object.hasOwn(events, name);
