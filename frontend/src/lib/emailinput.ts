/** Properties of a field for an e-mail address.

 Browsers rewrite the domain in fields of type email: Chromium sends faß.de as fass.de, which anybody can own.
*/
export const EMAIL_INPUT = { type: "text", inputMode: "email", autoCapitalize: "none", spellCheck: false } as const;
