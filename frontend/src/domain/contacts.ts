/** Parses the server's contact values into lists. Pure. */

/** Comma-separated text, or a JSON list, as values without blanks. */
export function listOf(text: string | null | undefined): string[] {
  return (text ?? "").split(",").map((value) => value.trim()).filter(Boolean);
}

/** `emails` is JSON text of {address, type}; the addresses of one type. Text that is not JSON has none. */
export function emailsOf(text: string | null | undefined, type: "personal" | "business"): string[] {
  try {
    const all = JSON.parse(text || "[]") as { address?: unknown; type?: unknown }[];
    return all.filter((email) => email.type === type && email.address).map((email) => String(email.address));
  } catch {
    return [];
  }
}

/** Up to two letters for an avatar: of the first and the last word. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...(word ?? "")][0] ?? "").join("").toUpperCase();
}

/** A stable small number for a name, to colour its avatar. */
export function hueOf(name: string): number {
  let sum = 0;
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 360;
  return sum;
}

/** The address to open for a profile URL, which may lack its protocol. */
export function profileLink(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url}`;
}

/** A person's name, e-mail and phone lists of one contact row. */
export interface ContactValues {
  phones: string[];
  business: string[];
  personal: string[];
}

export function valuesOf(row: {
  emails: string | null;
  business_emails: string | null;
  phone_numbers: string | null;
}): ContactValues {
  return {
    phones: listOf(row.phone_numbers),
    business: listOf(row.business_emails),
    personal: emailsOf(row.emails, "personal"),
  };
}
