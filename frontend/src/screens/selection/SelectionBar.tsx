/** What can be done with the ticked rows, at the bottom of the window. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../lib/i18n.dashboard";
import { bottomBar } from "../../stores/bottombar";
import classes from "./SelectionBar.module.css";

interface Props {
  text: string;
  /** About rows that are not in view. */
  note?: ReactNode;
  onClear: () => void;
  children: ReactNode;
}

export function SelectionBar({ text, note, onClear, children }: Props) {
  return (
    <div ref={bottomBar} className={classes.bar} role="group" aria-label={text}>
      <p role="status">
        <strong>{text}</strong>
        {note && <span>{note}</span>}
      </p>
      {children}
      <Button size="sm" variant="subtle" color="gray" onClick={onClear}>
        {t("contacts.clear")}
      </Button>
    </div>
  );
}
