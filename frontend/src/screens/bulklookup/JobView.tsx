/** A running job: progress, cost so far, the outcome of each row, cancellation, the result as a sheet. */
import { Box, Button, Group, Progress } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, Users } from "lucide-react";
import { Suspense, createContext, lazy, use, useEffect, useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { creditsOf, useAccount } from "../../api/account";
import { type BulkJob, type BulkRow, bulkJob, isOver, useCancelBulk } from "../../api/bulk";
import { contactsById } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { explain, problemOf } from "../../api/explain";
import { explainExport, useExportJob } from "../../api/exports";
import { STALE, invalidate } from "../../api/keys";
import type { UserContact } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Card } from "../../components/ui/Card";
import { Confirm } from "../../components/ui/Confirm";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { FilterChip } from "../../components/ui/FilterChip";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { CREDIT_OF, KINDS, REVEAL_TYPE } from "../../domain/reveal";
import { t } from "../../lib/i18n.people";
import { numberText } from "../../lib/locale";
import classes from "./BulkLookup.module.css";
import { PersonCell, ValuesCell } from "../person/PersonCells";
import { MoreCredits } from "./MoreCredits";

const PersonDrawer = lazy(() => import("../person/PersonDrawer"));

// The sheet has every row; the page shows only this many.
const MOST_SHOWN = 100;
type Row = BulkRow & { contact?: UserContact | undefined };

const COLUMNS: readonly Column<Row>[] = [
  { key: "address", head: t("bulk.address"), cell: (row) => <Person row={row} /> },
  { key: "values", head: t("bulk.values"), cell: ({ contact }) => contact && <ValuesCell contact={contact} fresh /> },
  {
    key: "status",
    head: t("bulk.rowStatus"),
    cell: (row) => <Outcome row={row} />,
  },
  { key: "charged", head: t("bulk.rowCharged"), align: "end", cell: (row) => row.charged },
];

export function JobView({ jobid, onAnother }: { jobid: number; onAnother: () => void }) {
  const found = useQuery(bulkJob(jobid));
  const queries = useQueryClient();
  const charged = found.data?.charged ?? 0;

  // The price of a row has been deducted from the balances, and its contact is in the list.
  useEffect(() => {
    if (charged === 0) return;
    void invalidate(queries, STALE.bulk);
  }, [charged, queries]);

  if (found.isPending) return <TableSkeleton label={t("loading")} lines={4} />;
  if (found.isError && !found.data) {
    if (found.error instanceof ApiError && found.error.status === 404) {
      return <Empty title={t("bulk.notFound")} action={<Button onClick={onAnother}>{t("bulk.another")}</Button>} />;
    }
    return <Problem {...problemOf(found.error)} retry={found.refetch} card />;
  }
  return <Job job={found.data} onAnother={onAnother} />;
}

function Job({ job, onAnother }: { job: BulkJob; onAnother: () => void }) {
  const over = isOver(job);
  const { mutate, isPending: busy } = useExportJob();
  const download = ({ jobid }: BulkJob) => mutate(jobid, { onError: (error) => toast(explainExport(error), "bad") });
  const percent = job.total > 0 ? Math.round((job.processed / job.total) * 100) : 0;
  return (
    <Card
      title={t(`bulk.${job.status}`)}
      action={
        over ? (
          <Group align="stretch" gap="xs">
            <Button variant="default" onClick={onAnother}>
              {t("bulk.another")}
            </Button>
            <ButtonLink to="/dashboard/main/mycontacts" variant="default" leftSection={<Users size={16} strokeWidth={1.75} aria-hidden="true" />}>
              {t("bulk.inContacts")}
            </ButtonLink>
            <BusyButton leftSection={<Download size={16} aria-hidden="true" />} busy={busy} onClick={() => download(job)}>
              {t("bulk.download")}
            </BusyButton>
          </Group>
        ) : (
          <Cancel jobid={job.jobid} />
        )
      }
    >
      <Progress value={percent} size="lg" radius="xl" aria-label={t("bulk.progress")} />
      <Group component="p" align="stretch" justify="space-between" gap="var(--s-1) var(--s-4)" mt="xs" mb="md" c="dimmed" role="status">
        <span>{t("bulk.processed", { done: job.processed, total: job.total })}</span>
        <span>{t("bulk.charged", { count: t("bulk.credits", { count: job.charged }) })}</span>
      </Group>
      <LeftOut job={job} />
      <Rows job={job} />
    </Card>
  );
}

/** Rows skipped for lack of credits, and a link to buy more of the kinds that ran out. */
function LeftOut({ job }: { job: BulkJob }) {
  const credits = creditsOf(useAccount());
  const empty = KINDS.filter((kind) => job.kinds.includes(REVEAL_TYPE[kind]) && !credits?.[CREDIT_OF[kind]]);
  if (empty.length === 0 || !job.rows.some(({ status }) => status === "nocredit")) return null;
  return (
    <Box mb="md">
      <MoreCredits kinds={empty} text={t("bulk.short")} />
    </Box>
  );
}

function Cancel({ jobid }: { jobid: number }) {
  const [asked, setAsked] = useState(false);
  const cancel = useCancelBulk();
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        {t("bulk.cancel")}
      </Button>
      <Confirm
        opened={asked}
        onClose={() => setAsked(false)}
        title={t("bulk.cancel")}
        text={t("bulk.cancelText")}
        confirm={t("bulk.cancel")}
        cancel={t("bulk.keep")}
        danger
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate(jobid, { onError: (error) => toast(explain(error), "bad"), onSettled: () => setAsked(false) })}
      />
    </>
  );
}

const rowKey = (row: Row) => row.line;

const shortAddress = (url: string) => url.replace(/^https?:\/\/(www\.)?/, "");

/** Opens the drawer of a row; the columns are constant. */
const OpenRow = createContext<(row: Row) => void>(() => undefined);

/** The name if known, which opens the drawer; else the requested address. */
function Person({ row }: { row: Row }) {
  const open = use(OpenRow);
  const { linkedinurl, contact } = row;
  if (!contact) return <Box component="span" c="dimmed">{shortAddress(linkedinurl)}</Box>;
  return <PersonCell name={contact.name} about={[contact.title, contact.company].filter(Boolean).join(" · ") || shortAddress(linkedinurl)} onOpen={() => open(row)} />;
}

type Status = BulkRow["status"];

function Outcome({ row: { status } }: { row: BulkRow }) {
  return (
    <span className={classes.outcome} data-status={status}>
      {t(`bulkRow.${status}`)}
    </span>
  );
}

/** The rows, and above them the number of rows per outcome, each of which is a filter. */
function Rows({ job }: { job: BulkJob }) {
  const [only, setOnly] = useState<Status | null>(null);
  const counts = useMemo(() => countsOf(job.rows), [job.rows]);
  const rows = useMemo(() => (only && counts.has(only) ? job.rows.filter(({ status }) => status === only) : job.rows), [counts, job.rows, only]);
  const rest = rows.length - MOST_SHOWN;
  const shown = useMemo(() => rows.slice(0, MOST_SHOWN), [rows]);
  const ids = [...new Set(shown.flatMap(({ contactid }) => (contactid === null ? [] : [contactid])))].toSorted((one, other) => one - other);
  const contacts = useQuery({ ...contactsById(ids), enabled: ids.length > 0 }).data;
  const withContacts = useMemo(() => {
    const byId = new Map(contacts?.resource.map((contact) => [contact.contactid, contact]));
    return shown.map((row): Row => ({ ...row, contact: row.contactid === null ? undefined : byId.get(row.contactid) }));
  }, [contacts, shown]);
  // 0 until the first row is opened, so that the drawer is loaded only then; null once it is closed.
  const [opened, setOpened] = useState<number | null>(0);
  const people = withContacts.filter((row) => row.contact);
  const at = people.findIndex(({ line }) => line === opened);
  const contact = people[at]?.contact;
  const open = (row: Row) => row.contact && setOpened(row.line);
  const stepTo = (to: Row | undefined) => to && (() => setOpened(to.line));
  return (
    <>
      {counts.size > 1 && (
        <Group align="stretch" gap="xs" mb="sm" role="group" aria-label={t("bulk.rowStatus")}>
          {[...counts].map(([status, count]) => (
            <FilterChip key={status} pressed={only === status} onChange={(on) => setOnly(on ? status : null)}>
              {`${t(`bulkRow.${status}`)} · ${numberText(count)}`}
            </FilterChip>
          ))}
        </Group>
      )}
      <OpenRow value={open}>
        <DataTable
          label={t("bulk.result")}
          columns={COLUMNS}
          rows={withContacts}
          rowKey={rowKey}
          phone={phoneRow}
          onOpen={open}
          state={({ line }) => (line === opened ? "open" : undefined)}
        />
      </OpenRow>
      <Suspense>
        {opened !== 0 && (
          <PersonDrawer
            person={contact ?? null}
            contact={contact}
            earlier={stepTo(people[at - 1])}
            later={at < 0 ? undefined : stepTo(people[at + 1])}
            onClose={() => setOpened(null)}
          />
        )}
      </Suspense>
      {rest > 0 && <p className={classes.dim}>{t("bulk.more", { count: rest })}</p>}
    </>
  );
}

function countsOf(rows: readonly BulkRow[]): Map<Status, number> {
  const counts = new Map<Status, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

const phoneRow = (row: Row) => (
  <Group align="stretch" justify="space-between" gap="0 var(--s-3)" className={classes.phone}>
    <span>
      <Person row={row} />
    </span>
    {row.contact && <ValuesCell contact={row.contact} fresh />}
    <Outcome row={row} />
    <span>{t("bulk.credits", { count: row.charged })}</span>
  </Group>
);
