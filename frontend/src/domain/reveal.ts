/** Kinds of contact data, and the contact of a search before and after a reveal. Pure. */
import { type ContactValues, emailsOf, listOf } from "./contacts";

export type Kind = "phone" | "business" | "personal";

export const KINDS = ["phone", "business", "personal"] as const;

/** The kind's name in a reveal, and the balance that it is paid from. */
export const REVEAL_TYPE = { phone: "directdial", business: "businessemail", personal: "personalemail" } as const;
export const CREDIT_OF = { phone: "contactcredit", business: "bus_email_credits", personal: "personal_email_credits" } as const;
/** The kind's name in the look-up API. */
export const LOOKUP_TYPE = { phone: "directdials", business: "businessemails", personal: "personalemails" } as const;
/** The kind's name in a vote. */
export const FEEDBACK_TYPE = { phone: "phone", business: "businessemail", personal: "personalemail" } as const;

const VALUES_OF = { phone: "phones", business: "business", personal: "personal" } as const;

interface Email {
  address: string;
  type: "personal" | "business";
  encrypted: boolean;
  validation?: "valid" | "unknown" | null;
}

interface Card {
  emails: Email[];
  phone_numbers: string[];
  phone_encrypted: boolean;
  business_email_encrypted: boolean;
  personal_email_encrypted: boolean;
  bus_email_validation: "valid" | "unknown" | null;
}

/** One value of a kind. `verified` is null for a phone number, which is not verified. */
export interface FieldValue {
  text: string;
  verified: boolean | null;
}

interface Row {
  emails: string | null;
  business_emails: string | null;
  phone_numbers: string | null;
}

/** The values of one kind, and whether they are still masked. */
export function fieldOf(card: Card, kind: Kind): { values: FieldValue[]; hidden: boolean } {
  if (kind === "phone") {
    const values = card.phone_numbers.map((text) => ({ text, verified: null }));
    return { values, hidden: card.phone_encrypted && values.length > 0 };
  }
  const whole = kind === "business" ? card.bus_email_validation : null;
  const emails = card.emails.filter((email) => email.type === kind);
  return {
    values: emails.map(({ address, validation }) => ({ text: address, verified: (validation ?? whole) === "valid" })),
    hidden: emails.some((email) => email.encrypted),
  };
}

/** Whether any kind of a card is still masked. */
export const hasHidden = (card: Card): boolean => KINDS.some((kind) => fieldOf(card, kind).hidden);

/** The card with the values of one kind replaced by those of the revealed row; none without a row. */
export function withRevealed<Shown extends Card>(card: Shown, kind: Kind, row: Row | undefined): Shown {
  const values = row ? revealedValues(row)[VALUES_OF[kind]] : [];
  if (kind === "phone") return { ...card, phone_numbers: values, phone_encrypted: false };
  // Masked and revealed values are in the same order, so each keeps its validation.
  const masks = card.emails.filter((email) => email.type === kind);
  const emails = values.map((address, at): Email => ({ ...masks[at], address, type: kind, encrypted: false }));
  return {
    ...card,
    emails: [...card.emails.filter((email) => email.type !== kind), ...emails],
    [`${kind}_email_encrypted`]: false,
  };
}

/** The card of a person with the values of a contact, which may differ from those that the directory has now. */
export function withContact<Shown extends Card>(card: Shown, row: Row): Shown {
  return KINDS.reduce((shown, kind) => (revealedValues(row)[VALUES_OF[kind]].length > 0 ? withRevealed(shown, kind, row) : shown), card);
}

function revealedValues(row: Row): ContactValues {
  const business = listOf(row.business_emails);
  return {
    phones: listOf(row.phone_numbers),
    business: business.length > 0 ? business : emailsOf(row.emails, "business"),
    personal: emailsOf(row.emails, "personal"),
  };
}
