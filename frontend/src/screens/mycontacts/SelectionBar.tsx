/** The selection, at the bottom of the window, including rows on other pages and from other searches. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { MOST_EXPORTED } from "../../api/exports";
import type { UserContact } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { bottomBar } from "../../stores/bottombar";
import classes from "./MyContacts.module.css";
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
  const offersAll = !all && count > rows.length && count <= MOST_EXPORTED && page.some(selection.has);
  return (
    <div ref={bottomBar} className={classes.bar} role="group" aria-label={t("contacts.selected", { count: all ? count : rows.length })}>
      <p role="status">
        <strong>{all ? t("contacts.allSelected", { count }) : t("contacts.selected", { count: rows.length })}</strong>
        {elsewhere > 0 && <span>{t("contacts.elsewhere", { count: elsewhere })}</span>}
      </p>
      {offersAll && (
        <Button size="sm" variant="subtle" onClick={selection.takeAll}>
          {t("contacts.takeAll", { count })}
        </Button>
      )}
      {children}
      <Button size="sm" variant="subtle" color="gray" onClick={selection.clear}>
        {t("contacts.clear")}
      </Button>
    </div>
  );
}
