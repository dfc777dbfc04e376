/** People Search: filters on the left, matching people next to them; paid values are shown in My Contacts. */
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Eye, ListPlus, UsersRound } from "lucide-react";
import { Suspense, lazy, useMemo, useState } from "react";
import { Link } from "react-router";
import { problemOf } from "../../api/explain";
import { type Chosen, MOST_REVEALED, type Match, firstPage, people } from "../../api/people";
import { CopyAs } from "../../components/CopyAs";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { NameAvatar } from "../../components/NameAvatar";
import { KIND_ICONS } from "../../components/kindIcons";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { type Asked, PEOPLE_FIELDS, isAsked, peopleFilters } from "../../domain/peoplefilter";
import { KINDS, REVEAL_TYPE } from "../../domain/reveal";
import { countryName } from "../../lib/countryname";
import { briefDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.people";
import { bottomBar } from "../../stores/bottombar";
import { Filters } from "./Filters";
import classes from "./PeopleSearch.module.css";
import { SavedSearches } from "./SavedSearches";
import { useAsked } from "./useAsked";

const RevealDialog = lazy(() => import("./RevealDialog"));
const ListDialog = lazy(() => import("./ListDialog"));
const ListsDialog = lazy(() => import("./ListsDialog"));

const ORDERS: Record<string, string> = { name: "full_name", company: "company", checked: "lastchecked" };
const rowKey = ({ linkedinurl }: Match) => linkedinurl;

const columnsOf = (onReveal: (row: Match) => void): Column<Match>[] => [
  { key: "name", head: t("people.person"), sort: "name", cell: (row) => <Person row={row} /> },
  { key: "company", head: t("people.field.company"), sort: "company", cell: (row) => row.company },
  { key: "place", head: t("people.place"), cell: placeOf },
  { key: "has", head: t("people.kinds"), cell: (row) => <Kinds row={row} /> },
  { key: "checked", head: t("people.checked"), sort: "checked", cell: ({ lastchecked }) => briefDayText(lastchecked) },
  {
    key: "actions",
    head: t("people.actions"),
    quiet: true,
    cell: (row) => (
      <Button size="compact-sm" variant="light" aria-label={t("people.revealOne", { name: row.full_name })} onClick={() => onReveal(row)}>
        {t("search.reveal")}
      </Button>
    ),
  },
];

export function PeopleSearchScreen() {
  const [asked, change] = useAsked(PEOPLE_FIELDS);
  const filters = useMemo(() => peopleFilters(asked), [asked]);
  const active = isAsked(asked);
  const list = useInfiniteQuery({ ...people(filters), enabled: active });
  const rows = useMemo(() => list.data?.pages.flatMap(({ resource }) => resource), [list.data]);
  const meta = list.data?.pages[0]?.meta;
  const [picked, setPicked] = useState<ReadonlyMap<string, Match>>(new Map());
  const [buying, setBuying] = useState<{ chosen: Chosen; count: number } | null>(null);
  const [listing, setListing] = useState<string[] | null>(null);
  const [managing, setManaging] = useState(false);
  const columns = useMemo(() => columnsOf((row) => setBuying({ chosen: { linkedinurls: [row.linkedinurl] }, count: 1 })), []);
  const first = Math.min(MOST_REVEALED, meta?.count ?? 0);
  const seen = useMemo(() => seenIn(rows ?? []), [rows]);
  const ask = (part: Partial<Asked>) => {
    setPicked(new Map());
    change(part);
  };
  const toggle = (row: Match) => {
    const next = new Map(picked);
    if (!next.delete(row.linkedinurl)) next.set(row.linkedinurl, row);
    setPicked(next);
  };
  const toggleAll = (shown: Match[]) => setPicked(shown.every((row) => picked.has(row.linkedinurl)) ? new Map() : new Map(shown.map((row) => [row.linkedinurl, row])));
  const sort = sortOf(asked.order);

  return (
    <Page
      title={t("menu.peoplesearch")}
      lead={t("people.lead")}
      actions={
        <>
          <Button variant="default" size="sm" leftSection={<ListPlus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setManaging(true)}>
            {t("people.lists")}
          </Button>
          {active && <CopyAs call="searchpeople" body={firstPage(filters)} />}
          <SavedSearches kind="people" fields={PEOPLE_FIELDS} filters={active ? filters : null} onOpen={ask} />
        </>
      }
    >
      <div className={classes.columns}>
        <Filters asked={asked} fields={PEOPLE_FIELDS} seen={seen} nameLabel={t("people.name")} onChange={ask} />
        <section className={classes.results} aria-label={t("search.results")}>
          {active ? (
            <ListState list={list} rows={rows} explain={problemOf} skeleton={{ lines: 8, columns }} empty={<Empty card icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={t("people.noneText")} />}>
              {(found) => (
                <>
                  <header className={classes.found} role="presentation">
                    <p role="status">{meta && t(meta.estimated ? "people.about" : "people.count", { count: meta.count })}</p>
                    <Button
                      variant={picked.size === 0 ? "filled" : "default"}
                      size="sm"
                      leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />}
                      onClick={() => setBuying({ chosen: { search: filters, first }, count: first })}
                    >
                      {t("people.revealFirst", { count: first })}
                    </Button>
                  </header>
                  <DataTable
                    label={t("menu.peoplesearch")}
                    columns={columns}
                    rows={found}
                    rowKey={rowKey}
                    {...(sort && { sort })}
                    onSort={(by) => change({ order: nextOrder(asked.order, by) })}
                    selection={{
                      has: (row) => picked.has(row.linkedinurl),
                      canSelect: () => true,
                      toggle,
                      toggleAll,
                      nameOf: (row) => t("contacts.select", { name: row.full_name }),
                      allLabel: t("contacts.selectAll"),
                    }}
                    phone={(row) => (
                      <div className={classes.phone}>
                        <Person row={row} />
                        <Kinds row={row} />
                      </div>
                    )}
                    foot={
                      list.hasNextPage && (
                        <BusyButton variant="subtle" size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                          {t("people.more")}
                        </BusyButton>
                      )
                    }
                  />
                </>
              )}
            </ListState>
          ) : (
            <Start onAsk={ask} />
          )}
        </section>
      </div>
      {picked.size > 0 && (
        <div ref={bottomBar} className={classes.bar} role="group" aria-label={t("contacts.selected", { count: picked.size })}>
          <strong role="status">{t("contacts.selected", { count: picked.size })}</strong>
          <Button
            size="sm"
            disabled={picked.size > MOST_REVEALED}
            leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => setBuying({ chosen: { linkedinurls: [...picked.keys()] }, count: picked.size })}
          >
            {t("search.reveal")}
          </Button>
          <Button size="sm" variant="default" disabled={picked.size > MOST_REVEALED} leftSection={<ListPlus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setListing([...picked.keys()])}>
            {t("people.toList")}
          </Button>
          <Button size="sm" variant="subtle" color="gray" onClick={() => setPicked(new Map())}>
            {t("contacts.clear")}
          </Button>
        </div>
      )}
      <Suspense>
        {buying && (
          <RevealDialog
            {...buying}
            onClose={() => setBuying(null)}
            onDone={() => {
              setBuying(null);
              setPicked(new Map());
            }}
            onList={(urls) => {
              setBuying(null);
              setListing(urls);
            }}
          />
        )}
        {managing && <ListsDialog onClose={() => setManaging(false)} />}
        {listing && (
          <ListDialog
            urls={listing}
            onClose={() => setListing(null)}
            onDone={() => {
              setListing(null);
              setPicked(new Map());
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}

const term = (value: string) => [{ value, not: false }];

/** Before a search: common searches to start with. */
function Start({ onAsk }: { onAsk: (part: Partial<Asked>) => void }) {
  const asks: { text: string; terms: Asked["terms"] }[] = [
    { text: t("people.tryHeads"), terms: { function: term("sales"), seniority: ["head", "director", "vp"].flatMap(term) } },
    { text: t("people.tryChiefs"), terms: { seniority: term("c_suite"), has: term("directdial") } },
    { text: t("people.tryEngineers"), terms: { function: term("engineering"), country: term("DEU") } },
  ];
  return (
    <Empty
      card
      icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={t("people.start")}
      text={t("people.startText")}
      action={
        <div className={classes.tries}>
          {asks.map(({ text, terms }) => (
            <Button key={text} variant="default" size="sm" onClick={() => onAsk({ terms })}>
              {text}
            </Button>
          ))}
        </div>
      }
    />
  );
}

function Person({ row }: { row: Match }) {
  return (
    <span className={classes.person}>
      <NameAvatar name={row.full_name} size={24} />
      <span>
        <Link to={`/dashboard/main/search?url=${encodeURIComponent(row.linkedinurl)}`}>{row.full_name}</Link>
        <span>{row.title}</span>
      </span>
    </span>
  );
}

/** A paid kind has the accent colour and a label; the others are only listed. */
function Kinds({ row }: { row: Match }) {
  return (
    <span className={classes.has}>
      {KINDS.filter((kind) => row.has.includes(REVEAL_TYPE[kind])).map((kind) => {
        const Icon = KIND_ICONS[kind];
        const owner = row.owned_by?.find((one) => one.kind === REVEAL_TYPE[kind]);
        const owned = row.owned.includes(REVEAL_TYPE[kind]);
        const label = owned
          ? owner
            ? `${t(`kind.${kind}`)}: ${t("search.revealedBy", { name: owner.name ?? t("search.byKey"), date: briefDayText(owner.on) })}`
            : `${t(`kind.${kind}`)}: ${t("people.owned")}`
          : t(`kind.${kind}`);
        return (
          <span key={kind} className={classes.kind} data-owned={owned || undefined} title={label}>
            <Icon size={16} strokeWidth={1.75} role="img" aria-label={label} />
          </span>
        );
      })}
    </span>
  );
}

const placeOf = ({ city, country }: Match): string => [city, countryName(country)].filter(Boolean).join(", ");

const DOWN = " desc";

function sortOf(order: string): { by: string; down: boolean } | undefined {
  const by = Object.entries(ORDERS).find(([, column]) => column === order.replace(DOWN, ""))?.[0];
  return by === undefined ? undefined : { by, down: order.endsWith(DOWN) };
}

const nextOrder = (order: string, by: string): string => (order === ORDERS[by] ? `${ORDERS[by]}${DOWN}` : (ORDERS[by] ?? ""));

function seenIn(rows: readonly Match[]) {
  const of = (pick: (row: Match) => string) => [...new Set(rows.map(pick).filter(Boolean))].toSorted();
  return { title: of(({ title }) => title), company: of(({ company }) => company), city: of(({ city }) => city) };
}

export { PeopleSearchScreen as Component };
