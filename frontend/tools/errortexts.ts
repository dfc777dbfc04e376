/** What the browser extension needs for translated errors of the server; `extension.mjs` packs it as `errortexts.js`. */
import { errorText } from "../src/lib/errortext";
import { errors as de } from "../src/texts/de/errors";

const TEXTS: Readonly<Record<string, typeof de>> = { de };

/** The message of an error in a language, or undefined if there is no translation. */
export const errorTextIn = (language: string, context: Parameters<typeof errorText>[0], numberText: (value: number) => string): string | undefined =>
  errorText(context, TEXTS[language], numberText);
