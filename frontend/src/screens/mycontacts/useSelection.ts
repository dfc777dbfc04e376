/** The ticked contacts, over all pages. A deleted contact cannot be ticked anew, only unticked. */
import { useState } from "react";
import type { UserContact } from "../../api/types";

export interface Selection {
  rows: UserContact[];
  has: (row: UserContact) => boolean;
  toggle: (row: UserContact) => void;
  /** Ticks every row of a page that may be ticked; all ticked already: unticks the page. */
  toggleAll: (page: UserContact[]) => void;
}

export const canSelect = (row: UserContact): boolean => !row.deleted;

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<number, UserContact>>(new Map());

  const set = (rows: UserContact[], on: boolean) =>
    setChosen((old) => {
      const next = new Map(old);
      for (const row of rows) {
        if (on) next.set(row.contactid, row);
        else next.delete(row.contactid);
      }
      return next;
    });

  return {
    rows: [...chosen.values()],
    has: (row) => chosen.has(row.contactid),
    toggle: (row) => {
      const on = !chosen.has(row.contactid);
      if (!on || canSelect(row)) set([row], on);
    },
    toggleAll: (page) => {
      const open = page.filter(canSelect);
      const on = open.some((row) => !chosen.has(row.contactid));
      set(on ? open : page, on);
    },
  };
}
