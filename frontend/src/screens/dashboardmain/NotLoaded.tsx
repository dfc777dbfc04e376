/** Shown below numbers that could not be loaded: the reason, and a retry button. */
import { Button, Group } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { explain } from "../../api/explain";
import { t } from "../../lib/i18n";

export function NotLoaded({ query }: { query: UseQueryResult<unknown> }) {
  if (!query.isError) return null;
  return (
    <Group component="p" gap="var(--s-1) var(--s-2)" c="dimmed" fz="sm" lh="sm" role="alert">
      {explain(query.error)}
      <Button variant="subtle" size="compact-sm" onClick={() => void query.refetch()}>
        {t("tryAgain")}
      </Button>
    </Group>
  );
}
