/** People Search: filters on the left, matching people with their revealed values next to them. */
import { Button, Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Eye, UsersRound } from "lucide-react";
import { useMemo, useState } from "react";
import { problemOf } from "../../api/explain";
import { type Known, MOST_REVEALED, firstPage, people } from "../../api/people";
import { CopyAs } from "../../components/CopyAs";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { Page } from "../../components/ui/Page";
import { usePicked } from "../../components/usePicked";
import { type Asked, PEOPLE_FIELDS, isAsked, peopleFilters } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import { PeopleTable, type Purchase } from "../person/PeopleTable";
import { Filters } from "./Filters";
import classes from "./PeopleSearch.module.css";
import { SavedSearches } from "./SavedSearches";
import { useAsked } from "./useAsked";

const ORDERS: Record<string, string> = { name: "full_name", company: "company" };

export function PeopleSearchScreen() {
  const [asked, change] = useAsked(PEOPLE_FIELDS);
  const filters = useMemo(() => peopleFilters(asked), [asked]);
  const active = isAsked(asked);
  const list = useInfiniteQuery(people(filters));
  const rows = useMemo(() => list.data?.pages.flatMap(({ resource }) => resource), [list.data]);
  const meta = list.data?.pages[0]?.meta;
  const picked = usePicked<Known>(({ linkedinurl }) => linkedinurl);
  const [buying, setBuying] = useState<Purchase | null>(null);
  const first = Math.min(MOST_REVEALED, meta?.count ?? 0);
  const ask = (part: Partial<Asked>) => {
    picked.clear();
    change(part);
  };
  return (
    <Page
      title={t("menu.peoplesearch")}
      lead={t("people.lead")}
      actions={
        <>
          <CopyAs call="searchpeople" body={firstPage(filters)} />
          <SavedSearches kind="people" fields={PEOPLE_FIELDS} filters={active ? filters : null} onOpen={ask} />
        </>
      }
    >
      <div className={classes.columns}>
        <Filters asked={asked} fields={PEOPLE_FIELDS} search={{ people: filters }} nameLabel={t("people.name")} onChange={ask} />
        <Stack component="section" gap="sm" miw={0} aria-label={t("search.results")}>
          <Group component="header" justify="space-between" gap="xs" c="dimmed" role="presentation">
            {!active && <Tries onAsk={ask} />}
            <p role="status">{meta && t(meta.estimated ? "people.about" : "people.count", { count: meta.count })}</p>
            {active && first > 0 && (
              <Button variant="default" size="sm" leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setBuying({ chosen: { search: filters, first }, count: first })}>
                {t("people.revealFirst", { count: first })}
              </Button>
            )}
          </Group>
          <ListState
            list={list}
            rows={rows}
            explain={problemOf}
            skeleton={{ lines: 8 }}
            empty={<Empty card icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={t("people.noneText")} />}
          >
            {(found) => (
              <PeopleTable
                label={t("menu.peoplesearch")}
                rows={found}
                picked={picked}
                sort={sortOf(asked.order)}
                onSort={(by) => change({ order: nextOrder(asked.order, by) })}
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
        </Stack>
      </div>
    </Page>
  );
}

const term = (value: string) => [{ value, not: false }];

/** Common searches to start with. */
function Tries({ onAsk }: { onAsk: (part: Partial<Asked>) => void }) {
  const asks: { text: string; terms: Asked["terms"] }[] = [
    { text: t("people.tryHeads"), terms: { function: term("sales"), seniority: ["head", "director", "vp"].flatMap(term) } },
    { text: t("people.tryChiefs"), terms: { seniority: term("c_suite"), has: term("directdial") } },
    { text: t("people.tryEngineers"), terms: { function: term("engineering"), country: term("DEU") } },
  ];
  return (
    <div className={classes.tries}>
      {asks.map(({ text, terms }) => (
        <Button key={text} variant="default" size="compact-sm" radius="xl" onClick={() => onAsk({ terms })}>
          {text}
        </Button>
      ))}
    </div>
  );
}

const DOWN = " desc";

function sortOf(order: string): { by: string; down: boolean } | undefined {
  const by = Object.entries(ORDERS).find(([, column]) => column === order.replace(DOWN, ""))?.[0];
  return by === undefined ? undefined : { by, down: order.endsWith(DOWN) };
}

const nextOrder = (order: string, by: string): string => (order === ORDERS[by] ? `${ORDERS[by]}${DOWN}` : (ORDERS[by] ?? ""));

export { PeopleSearchScreen as Component };
