/** The selected contacts, including those on other pages and from other searches. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { MOST_EXPORTED } from "../../api/exports";
import type { UserContact } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { SelectionBar as Bar } from "../selection/SelectionBar";
import type { Selection } from "./useSelection";

interface Props {
  selection: Selection;
  page: readonly UserContact[];
  /** The number of results. */
  count: number;
  children: ReactNode;
}

export function SelectionBar({ selection, page, count, children }: Props) {
  const { rows, all } = selection;
  const here = new Set(page.map(({ contactid }) => contactid));
  const elsewhere = rows.filter(({ contactid }) => !here.has(contactid)).length;
  const most = Math.min(count, MOST_EXPORTED);
  const offersAll = !all && count > rows.length && page.some(selection.has);
  return (
    <Bar
      text={all ? t(count > most ? "contacts.firstSelected" : "contacts.allSelected", { count: most }) : t("contacts.selected", { count: rows.length })}
      note={elsewhere > 0 && t("contacts.elsewhere", { count: elsewhere })}
      onClear={selection.clear}
    >
      {offersAll && (
        <Button size="sm" variant="subtle" onClick={selection.takeAll}>
          {t(count > most ? "contacts.takeFirst" : "contacts.takeAll", { count: most })}
        </Button>
      )}
      {children}
    </Bar>
  );
}
