/** Formats numbers, dates and times for the reader's locale: the only module that uses `Intl` for this. */
import { type Language, language, onLanguage } from "./language";
import { preference, setPreference } from "./preferences";

const LOCALES: Record<Language, string> = { en: "en-US", de: "de-DE" };
const TIME_ZONE = "timezone";

/** The locale of the language, as `Intl` takes it. */
export const locale = (): string => LOCALES[language().name];

// Formatters are expensive to create, and a table uses one hundreds of times.
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
let zone: string | undefined;

function forget(): void {
  formats.clear();
  zone = undefined;
}
onLanguage(forget);

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return cached(JSON.stringify(options), () => new Intl.NumberFormat(locale(), options));
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(JSON.stringify(options), () => new Intl.DateTimeFormat(locale(), options));
}

function cached<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, create: () => Format): Format {
  let format = formats.get(key) as Format | undefined;
  if (format === undefined) formats.set(key, (format = create()));
  return format;
}

/** `1,234` */
export const numberText = (value: number): string => numberFormat().format(value);

/** `1,001–5,000`, from a range of a size such as `1001-5000`; `10,001+`. */
export const rangeText = (range: string): string => range.replaceAll(/\d+/g, (digits) => numberText(Number(digits))).replace("-", "–");

/** `1,234`, or a dash for an unknown number. */
export const countText = (value: number | undefined): string => (value === undefined ? "–" : numberText(value));

/** `Ada, Max and Olivia` */
export const listText = (parts: readonly string[]): string => new Intl.ListFormat(locale(), { type: "conjunction" }).format(parts);

/** `Germany`, from a two-letter country code. */
export const countryText = (alpha2: string): string => new Intl.DisplayNames([locale()], { type: "region" }).of(alpha2) ?? alpha2;

/** The time zone that was chosen in this browser; the browser's own if none was. */
export const timeZone = (): string => (zone ??= chosenTimeZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone);

export function chosenTimeZone(): string | undefined {
  const name = preference(TIME_ZONE);
  return name !== undefined && isTimeZone(name) ? name : undefined;
}

/** Stores a time zone for this browser; null follows the browser again. */
export function chooseTimeZone(name: string | null): void {
  setPreference(TIME_ZONE, name);
  forget();
}

/** Every selectable time zone, such as `Europe/Berlin`. */
export const timeZones = (): string[] => Intl.supportedValuesOf("timeZone");

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
