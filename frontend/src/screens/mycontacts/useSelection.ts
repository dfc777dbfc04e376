/** The ticked contacts on all pages, or all results. A deleted contact cannot be ticked again, only unticked. */
import { useEffect, useRef, useState } from "react";
import { toastClosed, toastWithUndo } from "../../../shared/toasts";
import type { UserContact } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";

export interface Selection {
  /** Ticked one by one. */
  rows: UserContact[];
  /** All results of the filters are selected, including those on other pages. */
  all: boolean;
  has: (row: UserContact) => boolean;
  set: (rows: UserContact[], on: boolean) => void;
  /** Ticks every selectable row of a page; unticks the page if all are already ticked. */
  toggleAll: (page: UserContact[]) => void;
  takeAll: () => void;
  /** Unticks everything, with Undo. */
  clear: () => void;
}

export const canSelect = (row: UserContact): boolean => !row.deleted;

const NONE: ReadonlyMap<number, UserContact> = new Map();

/** `found` identifies the filtered results: a selection of all of them ends when it changes. */
export function useSelection(page: readonly UserContact[], found: string): Selection {
  const [chosen, setChosen] = useState(NONE);
  const [allOf, setAllOf] = useState<string | null>(null);
  const all = allOf === found;
  const note = useRef(0);

  // A selection ends with its screen, so another screen has nothing to undo.
  useEffect(() => () => toastClosed(note.current), []);

  const set = (rows: readonly UserContact[], on: boolean) =>
    setChosen((old) => {
      const next = new Map(all ? page.filter(canSelect).map((row) => [row.contactid, row]) : old);
      for (const row of rows) {
        if (on) next.set(row.contactid, row);
        else next.delete(row.contactid);
      }
      return next;
    });
  const has = (row: UserContact) => (all ? canSelect(row) : chosen.has(row.contactid));

  return {
    rows: all ? [] : [...chosen.values()],
    all,
    has,
    set: (rows, on) => {
      set(rows, on);
      setAllOf(null);
    },
    toggleAll: (rows) => {
      const open = rows.filter(canSelect);
      const on = open.some((row) => !has(row));
      set(on ? open : rows, on);
      setAllOf(null);
    },
    takeAll: () => setAllOf(found),
    clear: () => {
      setChosen(NONE);
      setAllOf(null);
      note.current = toastWithUndo(t("contacts.cleared"), {
        undo: () => {
          setChosen((now) => new Map([...chosen, ...now]));
          setAllOf(allOf);
        },
      });
    },
  };
}
