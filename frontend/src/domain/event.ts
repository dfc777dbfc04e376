/** Entries of the audit log and of the credit ledger in words. Pure. */

/** What the number in an entry names. */
export type Named = "user" | "plan" | "key";

const NAMED: Readonly<Record<string, Named>> = {
  account: "user", email: "user", invitation: "user", member: "user", password: "user", addon: "plan", plan: "plan", key: "key",
};

/** What the target of an entry names, if it is a number: the plan 4 of `plan_changed`. */
export const namedBy = (event: string, target: string | null): Named | undefined =>
  target !== null && /^\d+$/.test(target) ? NAMED[event.split("_")[0]!] : undefined;

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
