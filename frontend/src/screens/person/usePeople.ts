/** The contacts of the people in a list, by profile address: what the reader may see of what was revealed. */
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { isOwner, useAccount } from "../../api/account";
import { contactsById } from "../../api/contacts";
import { type Known, contactIdOf } from "../../api/people";
import type { UserContact } from "../../api/types";

export type Contacts = ReadonlyMap<string, UserContact>;

// The server takes filters of 2,000 characters.
const MOST = 100;

/** The owner sees the contacts of the account, a member those of the member's own list. */
export function useContactsOf(rows: readonly Known[] | undefined): Contacts {
  const me = useAccount();
  const client = isOwner(me) ? me.clientid : undefined;
  const ids = (rows ?? []).map(contactIdOf).filter((id) => id > 0);
  const portions = Array.from({ length: Math.ceil(ids.length / MOST) }, (_, at) => ids.slice(at * MOST, (at + 1) * MOST));
  const contacts = useQueries({ queries: portions.map((portion) => contactsById(portion, client)), combine: contactsIn });
  return useMemo(() => {
    const byId = new Map(contacts.filter(({ deleted }) => !deleted).map((contact) => [contact.contactid, contact]));
    return new Map((rows ?? []).flatMap((row) => (byId.has(contactIdOf(row)) ? [[row.linkedinurl, byId.get(contactIdOf(row))!] as const] : [])));
  }, [contacts, rows]);
}

const contactsIn = (results: { data?: { resource: UserContact[] } | undefined }[]): UserContact[] => results.flatMap(({ data }) => data?.resource ?? []);
