/** Rules of single values. Pure; the texts are chosen by the screens. */

const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@.<>()[\]\\,;:"]{2,}$/;

export const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text.trim());
export const isBlank = (text: string): boolean => text.trim() === "";

export const PASSWORD_RULES = [
  { name: "length", holds: (text: string) => text.length >= 8 && text.length <= 100 },
  { name: "lower", holds: (text: string) => /[a-z]/.test(text) },
  { name: "upper", holds: (text: string) => /[A-Z]/.test(text) },
  { name: "digit", holds: (text: string) => /\d/.test(text) },
] as const;

/** Why a new password is rejected: 8 to 100 characters, both cases and a digit are needed, and blanks are not allowed. */
export function passwordFault(text: string): "short" | "long" | "weak" | null {
  if (text.length < 8) return "short";
  if (text.length > 100) return "long";
  return /\s/.test(text) || !PASSWORD_RULES.every((rule) => rule.holds(text)) ? "weak" : null;
}

export const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** A whole number from 0 to `most`, written in digits alone. */
export const isCount = (text: string, most: number): boolean => /^\d{1,15}$/.test(text.trim()) && Number(text) <= most;
