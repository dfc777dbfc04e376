/** Replaces something that could not be loaded, with a button to try again; `card` replaces a table. */
import { Box, Button } from "@mantine/core";
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
      <Box component="h2" c="var(--text-1)" fz="lg" fw="var(--fw-600)" lts={0} lh="lg">{t("problem.title")}</Box>
      <p>{text}</p>
      {requestId && <Box component="p" fz="sm">{t("problem.requestId", { id: requestId })}</Box>}
      {retry && (
        <Button variant="default" onClick={() => void retry()}>
          {t("tryAgain")}
        </Button>
      )}
    </div>
  );
}
