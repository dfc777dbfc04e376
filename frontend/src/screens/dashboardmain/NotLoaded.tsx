/** Shown below numbers that could not be loaded: the reason, and a retry button. */
import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { explain } from "../../api/explain";
import { t } from "../../lib/i18n";
import classes from "./DashboardMain.module.css";

export function NotLoaded({ query }: { query: UseQueryResult<unknown> }) {
  if (!query.isError) return null;
  return (
    <p className={classes.notLoaded} role="alert">
      {explain(query.error)}
      <Button variant="subtle" size="compact-sm" onClick={() => void query.refetch()}>
        {t("tryAgain")}
      </Button>
    </p>
  );
}
