/** Descriptions for entries of the audit log and of the credit ledger. Pure. */
import { parseDate } from "../lib/dates";
import { t } from "../lib/i18n.events";
import { events as texts } from "../texts/en/events";
import { KINDS, type Kind, REVEAL_TYPE } from "./reveal";

const { events } = texts;

/** The kind of object that the number in an entry identifies. */
export type Named = "user" | "plan" | "key";

const NAMED: Readonly<Record<string, Named>> = {
  account: "user", email: "user", invitation: "user", member: "user", password: "user", addon: "plan", plan: "plan", key: "key",
};

/** The kind of object that an entry's target identifies, if it is a number: the plan 4 of `plan_changed`. */
export const namedBy = (event: string, target: string | null): Named | undefined =>
  target !== null && /^\d+$/.test(target) ? NAMED[event.split("_")[0]!] : undefined;

/** The number of an entry's contact: 12 for `contact 12` in a reveal. */
export function contactOf({ event, target }: { event: string; target: string | null }): number | null {
  const number = event === "reveal" ? /^contact (\d+)$/.exec(target ?? "")?.[1] : undefined;
  return number ? Number(number) : null;
}

interface Entry {
  event: string;
  target: string | null;
  detail: unknown;
  appuserid: number | null;
  keyid: number | null;
  createdon: string;
}

const kindIn = (detail: unknown): Kind | undefined => KINDS.find((kind) => REVEAL_TYPE[kind] === (detail as { kind?: unknown } | null)?.kind);

// The kinds of a reveal are recorded one after another.
const TOGETHER_MS = 10_000;

function isSame(one: Entry, other: Entry): boolean {
  const apart = Math.abs((parseDate(one.createdon)?.getTime() ?? 0) - (parseDate(other.createdon)?.getTime() ?? 0));
  return one.event === "reveal" && other.event === "reveal" && one.target === other.target && one.appuserid === other.appuserid
    && one.keyid === other.keyid && apart <= TOGETHER_MS;
}

/** Entries with the kinds that they revealed. The kinds of one reveal are one entry; a reveal split across two pages is
 on both. */
export function joined<Row extends Entry>(entries: readonly Row[]): (Row & { kinds: Kind[] })[] {
  const rows: (Row & { kinds: Kind[] })[] = [];
  for (const entry of entries) {
    const [last, kind] = [rows.at(-1), entry.event === "reveal" ? kindIn(entry.detail) : undefined];
    if (last && kind && isSame(last, entry) && !last.kinds.includes(kind)) last.kinds = KINDS.filter((one) => one === kind || last.kinds.includes(one));
    else rows.push({ ...entry, kinds: kind ? [kind] : [] });
  }
  return rows;
}

/** The subject of an entry in the audit log: its target, and the reason that support gave. */
export function targetText(target: string | null, detail: unknown): string {
  const { reason } = (detail ?? {}) as { reason?: unknown };
  return [target, typeof reason === "string" ? reason : null].filter(Boolean).join(": ");
}

/** The name of an entry or a state in the language of the reader. Without a text it is derived from the key:
 `Partly paid`. */
export function eventText(name: string): string {
  if (isKnown(name)) return t(`events.${name}`);
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isKnown = (name: string): name is keyof typeof events => Object.hasOwn(events, name);
