/** A table of people, revealed or not: the values of each in its row, the drawer, and what can be done with the ticked
 ones. Used by People Search and lists. */
import { Button } from "@mantine/core";
import { Eye, ListPlus } from "lucide-react";
import { type ReactNode, Suspense, lazy, useMemo, useState } from "react";
import { copyText } from "../../../shared/clipboard";
import { toast } from "../../../shared/toasts";
import { type Chosen, type Known, MOST_REVEALED, contactIdOf } from "../../api/people";
import type { UserContact } from "../../api/types";
import { CompanyLink } from "./CompanyLink";
import type { Picked } from "../../components/usePicked";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { KINDS, type Kind, REVEAL_TYPE } from "../../domain/reveal";
import { t } from "../../lib/i18n.people";
import { SelectionBar } from "../selection/SelectionBar";
import { PersonCell, PhoneCells, TwoLines, ValuesCell, bestOf, placeOf } from "./PersonCells";
import { type Contacts, useContactsOf } from "./usePeople";

const RevealDialog = lazy(() => import("./RevealDialog"));
const ListDialog = lazy(() => import("./ListDialog"));
const PersonDrawer = lazy(() => import("./PersonDrawer"));

export interface Purchase {
  chosen: Chosen;
  count: number;
  name?: string;
  kinds?: readonly Kind[];
}

interface Props<Row extends Known> {
  label: string;
  rows: Row[];
  picked: Picked<Known>;
  sort?: { by: string; down: boolean } | undefined;
  onSort: (by: string) => void;
  /** Columns between the values and the button of a row. */
  more?: readonly Column<Row>[];
  foot: ReactNode;
  /** The dialog of a purchase that the screen opens itself, such as of the first people found. */
  buying: Purchase | null;
  onBuying: (purchase: Purchase | null) => void;
  onExport?: () => void;
  /** What else can be done with the ticked people, and with the one in the drawer. */
  actions?: (rows: Row[]) => ReactNode;
  drawer?: (row: Row, close: () => void) => ReactNode;
}

const rowKey = ({ linkedinurl }: Known) => linkedinurl;

/** The kinds that exist and are still hidden; a kind that a colleague has revealed is free, but has to be requested. */
const leftOf = (row: Known, contact: UserContact | undefined): Kind[] =>
  KINDS.filter((kind) => row.has.includes(REVEAL_TYPE[kind]) && !(contact && row.owned.includes(REVEAL_TYPE[kind])));

export function PeopleTable<Row extends Known>({ label, rows, picked, sort, onSort, more = [], foot, buying, onBuying, onExport, actions, drawer }: Props<Row>) {
  const contacts = useContactsOf(rows);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const [listing, setListing] = useState<string[] | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const [wasOpened, setWasOpened] = useState(false);
  const open = (row: Row) => {
    setOpened(row.linkedinurl);
    setWasOpened(true);
  };
  const reveal = (row: Row) => {
    const kinds = leftOf(row, contacts.get(row.linkedinurl));
    if (kinds.length === 0) open(row);
    else onBuying({ chosen: { linkedinurls: [row.linkedinurl] }, count: 1, name: row.full_name, kinds });
  };
  const copy = async (row: Row) => {
    const value = bestOf(contacts.get(row.linkedinurl));
    if (value) await copyText(value);
    toast(value ? t("copiedFully") : t("people.nothingToCopy"), value ? "good" : "plain");
  };
  // The callbacks are those of the latest render; the columns depend on what they show.
  const columns = useColumns(contacts, fresh, { open, reveal }, more);
  const at = rows.findIndex(({ linkedinurl }) => linkedinurl === opened);
  const row = rows[at];
  const stepTo = (to: Row | undefined) => to && (() => open(to));
  const { keys } = picked;
  const ticked = rows.filter(picked.has);
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        {...(sort && { sort })}
        onSort={onSort}
        onOpen={open}
        keys={{ onReveal: reveal, onCopy: (one) => void copy(one), ...(onExport && { onExport }) }}
        state={({ linkedinurl }) => (linkedinurl === opened ? "open" : undefined)}
        selection={{
          has: picked.has,
          canSelect: () => true,
          set: picked.set,
          toggleAll: picked.toggleAll,
          nameOf: ({ full_name }) => t("contacts.select", { name: full_name }),
          allLabel: t("contacts.selectAll"),
        }}
        phone={(one) => (
          <PhoneCells>
            <PersonCell name={one.full_name} about={[one.title, one.company].filter(Boolean).join(" · ")} onOpen={() => open(one)} />
            <ValuesCell row={one} contact={contacts.get(one.linkedinurl)} fresh={fresh.has(one.linkedinurl)} />
          </PhoneCells>
        )}
        foot={foot}
      />
      {keys.length > 0 && (
        <SelectionBar text={t("contacts.selected", { count: keys.length })} onClear={picked.clear}>
          <Button
            size="sm"
            disabled={keys.length > MOST_REVEALED}
            leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => onBuying({ chosen: { linkedinurls: keys }, count: keys.length })}
          >
            {t("search.reveal")}
          </Button>
          <Button size="sm" variant="default" leftSection={<ListPlus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setListing(keys)}>
            {t("people.toList")}
          </Button>
          {actions?.(ticked)}
        </SelectionBar>
      )}
      <Suspense>
        {buying && (
          <RevealDialog
            {...buying}
            onClose={() => onBuying(null)}
            onDone={(urls) => {
              setFresh(new Set(urls));
              onBuying(null);
              // They stay ticked for the next step, such as a list.
              if (urls.length > 1) picked.pick(urls);
            }}
          />
        )}
        {listing && (
          <ListDialog
            urls={listing}
            onClose={() => setListing(null)}
            onDone={() => {
              setListing(null);
              picked.clear();
            }}
          />
        )}
        {wasOpened && (
          <PersonDrawer
            person={row ? { linkedinurl: row.linkedinurl, name: row.full_name, title: row.title, company: row.company, contactid: contactIdOf(row) } : null}
            earlier={stepTo(rows[at - 1])}
            later={at < 0 ? undefined : stepTo(rows[at + 1])}
            onClose={() => setOpened(null)}
          >
            {row && drawer?.(row, () => setOpened(null))}
          </PersonDrawer>
        )}
      </Suspense>
    </>
  );
}

interface RowActions<Row> {
  open: (row: Row) => void;
  reveal: (row: Row) => void;
}

/** The columns, with the same identity until the values in them change. */
function useColumns<Row extends Known>(contacts: Contacts, fresh: ReadonlySet<string>, actions: RowActions<Row>, more: readonly Column<Row>[]): readonly Column<Row>[] {
  const { open, reveal } = actions;
  return useMemo(
    () => [
      { key: "name", head: t("people.person"), sort: "name", cell: (row) => <PersonCell name={row.full_name} about={row.title} onOpen={() => open(row)} /> },
      { key: "company", head: t("people.field.company"), sort: "company", cell: (row) => <TwoLines first={<CompanyLink name={row.company} />} second={placeOf(row)} /> },
      { key: "data", head: t("people.kinds"), cell: (row) => <ValuesCell row={row} contact={contacts.get(row.linkedinurl)} fresh={fresh.has(row.linkedinurl)} /> },
      ...more,
      { key: "actions", head: t("people.actions"), unnamed: true, align: "end", cell: (row) => <RowButton row={row} isPaid={contacts.has(row.linkedinurl) || leftOf(row, undefined).length === 0} onOpen={open} onReveal={reveal} /> },
    ],
    // The actions read the state of the render that the contacts belong to.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [contacts, fresh, more],
  );
}

interface ButtonProps<Row> extends Record<"onOpen" | "onReveal", (row: Row) => void> {
  row: Row;
  /** It has values, or nothing to reveal; the drawer reveals what is left. */
  isPaid: boolean;
}

function RowButton<Row extends Known>({ row, isPaid, onOpen, onReveal }: ButtonProps<Row>) {
  return (
    <Button
      size="compact-sm"
      variant={isPaid ? "subtle" : "light"}
      aria-label={t(isPaid ? "contacts.open" : "people.revealOne", { name: row.full_name })}
      onClick={() => (isPaid ? onOpen : onReveal)(row)}
    >
      {t(isPaid ? "people.open" : "search.reveal")}
    </Button>
  );
}
