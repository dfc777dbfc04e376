/** Page sizes and numbered pages with arrows to the first and the last. */
import { Group, Pagination, UnstyledButton } from "@mantine/core";
import { memo, useRef } from "react";
import { t } from "../../lib/i18n.dashboard";
import { PAGE_SIZES, type PageSize, lastPage } from "../../lib/paging";
import { useKeptFocus } from "../useKeptFocus";
import classes from "./Pager.module.css";

interface Props {
  page: number;
  size: number;
  count: number;
  onChange: (change: { page: number; size?: PageSize }) => void;
  /** Absent if the size is fixed. */
  withSizes?: boolean;
}

const ARROWS = {
  first: t("contacts.first"),
  previous: t("contacts.previous"),
  next: t("contacts.next"),
  last: t("contacts.last"),
};

export const Pager = memo(function Pager({ page, size, count, onChange, withSizes = true }: Props) {
  const pages = useRef<HTMLElement>(null);
  useKeptFocus(pages, "[aria-current=page]");
  return (
    <Group justify="space-between" gap="sm" mt="md">
      {withSizes && (
        <Group wrap="nowrap" gap="var(--s-1)" c="dimmed" fz="md" className={classes.sizes} role="group" aria-label={t("contacts.pageSize")}>
          {PAGE_SIZES.map((one) => (
            <UnstyledButton
              key={one}
              className={classes.size}
              aria-pressed={one === size}
              aria-label={t("contacts.perPage", { size: one })}
              onClick={() => onChange({ page: 1, size: one })}
            >
              {one}
            </UnstyledButton>
          ))}
          <span aria-hidden="true">{t("contacts.perPageWord")}</span>
        </Group>
      )}
      <nav ref={pages} aria-label={t("contacts.pages")}>
        <Pagination
          size="sm"
          gap="var(--s-1)"
          withEdges
          total={lastPage(count, size)}
          value={page}
          onChange={(to) => onChange({ page: to })}
          getControlProps={(control) => ({ "aria-label": ARROWS[control] })}
        />
      </nav>
    </Group>
  );
});
