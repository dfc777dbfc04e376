/** What the browser extension needs for translated errors of the server; `extension.mjs` packs it as `refusals.js`. */
import { refusalText } from "../src/lib/refusal";
import { refusals as de } from "../src/texts/de/refusals";

const REFUSALS: Readonly<Record<string, typeof de>> = { de };

/** The message of an error in a language, or undefined if there is no translation. */
export const refusalIn = (language: string, context: Parameters<typeof refusalText>[0], numberText: (value: number) => string): string | undefined =>
  refusalText(context, REFUSALS[language], numberText);
