/** Queries that both the early script and a screen send. */
import type { Query } from "./transport";

export interface ContactsPage {
  limit: number;
  offset: number;
  order?: string;
  filter?: string | undefined;
}

/** A page of the personal list, newest first by default. */
export const contactsPage = ({ limit, offset, order = "createdon DESC", filter }: ContactsPage) =>
  ({ order, include_count: true, limit, offset, filter }) satisfies Query;
