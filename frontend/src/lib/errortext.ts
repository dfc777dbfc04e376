/** Finds the translation of an error of the server. The browser extension packs this module, too. */

/** The `context` of an error, or an entry of its `field_errors`. */
export interface Facts {
  reason?: string;
  case?: string;
  [name: string]: unknown;
}

type ErrorTexts = Readonly<Record<string, string>>;

/** Reasons with cases that a vendor names, so that there is always one without a translation. */
const OPEN = new Set(["card_refused"]);

/** The message of an error by its case, or by its reason if it has no case; undefined if there is no translation. */
export function errorText(facts: Facts, errors: ErrorTexts | undefined, numberText: (value: number) => string): string | undefined {
  const { reason, case: word } = facts;
  const textOf = (key: string | undefined): string | undefined => {
    if (key === undefined || errors === undefined || !Object.hasOwn(errors, key)) return undefined;
    const text = errors[key]?.replace(/\{\{(\w+)\}\}/g, (place, name: string) => (typeof facts[name] === "number" ? numberText(facts[name]) : place));
    return text?.includes("{{") ? undefined : text;
  };
  if (word === undefined) return textOf(reason);
  return textOf(word) ?? (reason !== undefined && OPEN.has(reason) ? textOf(reason) : undefined);
}
