/** Replaces something that could not be loaded, with a button to try again; `card` replaces a table. */
import { Button } from "@mantine/core";
import { CloudOff } from "lucide-react";
import { t } from "../lib/i18n";
import classes from "./Notice.module.css";

interface Props {
  text: string;
  requestId?: string | undefined;
  retry?: (() => unknown) | undefined;
  card?: boolean;
}

export function Problem({ text, requestId, retry, card }: Props) {
  return (
    <div className={classes.notice} data-card={card || undefined} role="alert">
      <CloudOff size={24} strokeWidth={1.75} aria-hidden="true" />
      <h2 className={classes.title}>{t("problem.title")}</h2>
      <p>{text}</p>
      {requestId && <p className={classes.small}>{t("problem.requestId", { id: requestId })}</p>}
      {retry && (
        <Button variant="default" onClick={() => void retry()}>
          {t("tryAgain")}
        </Button>
      )}
    </div>
  );
}
