/** Queries that the first script and a screen send alike. */
import type { Query } from "./transport";

/** A page of the personal list, newest first. */
export const contactsPage = ({ limit, offset }: { limit: number; offset: number }) =>
  ({ order: "createdon DESC", include_count: true, limit, offset }) satisfies Query;
