/** The people that a search finds: the purchase of the first ones, and a table that continues. */
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { problemOf } from "../../api/explain";
import { type Known, MOST_REVEALED, people } from "../../api/people";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { usePicked } from "../../components/usePicked";
import type { PeopleFilters } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import { PeopleTable, type Purchase } from "./PeopleTable";

/** The columns of the API by the table's. */
const ORDERS: Record<string, string> = { name: "full_name", company: "company" };
const DOWN = " desc";

export function sortOf(order: string): { by: string; down: boolean } | undefined {
  const by = Object.entries(ORDERS).find(([, column]) => column === order.replace(DOWN, ""))?.[0];
  return by === undefined ? undefined : { by, down: order.endsWith(DOWN) };
}

const nextOrder = (order: string, by: string): string => (order === ORDERS[by] ? `${ORDERS[by]}${DOWN}` : (ORDERS[by] ?? ""));

export function useFoundPeople(filters: PeopleFilters) {
  const list = useInfiniteQuery(people(filters));
  const rows = useMemo(() => list.data?.pages.flatMap(({ resource }) => resource), [list.data]);
  const picked = usePicked<Known>(({ linkedinurl }) => linkedinurl);
  const [buying, setBuying] = useState<Purchase | null>(null);
  return { filters, list, rows, meta: list.data?.pages[0]?.meta, picked, buying, setBuying };
}

type Found = ReturnType<typeof useFoundPeople>;

export function RevealFirst({ found: { filters, meta, setBuying } }: { found: Found }) {
  const count = Math.min(MOST_REVEALED, meta?.count ?? 0);
  if (count === 0) return null;
  return (
    <Button variant="default" size="sm" leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setBuying({ chosen: { search: filters, first: count }, count })}>
      {t("people.revealFirst", { count })}
    </Button>
  );
}

interface Props {
  found: Found;
  label: string;
  order: string;
  onOrder: (order: string) => void;
  empty: ReactNode;
}

export function FoundPeople({ found: { list, rows, picked, buying, setBuying }, label, order, onOrder, empty }: Props) {
  return (
    <ListState list={list} rows={rows} explain={problemOf} skeleton={{ lines: 8 }} empty={empty}>
      {(shown) => (
        <PeopleTable
          label={label}
          rows={shown}
          picked={picked}
          sort={sortOf(order)}
          onSort={(by) => onOrder(nextOrder(order, by))}
          buying={buying}
          onBuying={setBuying}
          foot={
            list.hasNextPage && (
              <BusyButton variant="subtle" size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t("people.more")}
              </BusyButton>
            )
          }
        />
      )}
    </ListState>
  );
}
