/** The job queue: waiting and failed jobs. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Job, jobs } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { ListTable } from "../../components/ListTable";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { RowAction } from "./RowAction";

const STATUS = { queued: "queue.queued", picked: "queue.picked", failed: "queue.failed" } as const;
const statusText = (status: string): string => (Object.hasOwn(STATUS, status) ? t(STATUS[status as keyof typeof STATUS]) : status);

export function QueuePage() {
  const list = useQuery(jobs);
  const columns = useMemo<Column<Job>[]>(
    () => [
      { key: "job", head: t("queue.job"), cell: ({ id, job }) => `${job} ${id}` },
      { key: "status", head: t("queue.status"), cell: ({ status }) => statusText(status) },
      { key: "attempts", head: t("queue.attempts"), align: "end", cell: ({ attempts }) => attempts },
      { key: "error", head: t("queue.error"), cell: ({ error }) => error ?? t("none") },
      { key: "created", head: t("queue.created"), cell: ({ created }) => momentText(created) },
      { key: "next", head: t("queue.next"), cell: (job) => (job.status === "queued" ? momentText(job.execute_after) : t("none")) },
      { key: "actions", head: t("queue.actions"), align: "end", cell: (job) => <Retry job={job} /> },
    ],
    [],
  );
  const counts = Object.entries(list.data?.counts ?? {}).map(([status, count]) => t("queue.count", { status: statusText(status), count }));
  return (
    <Page title={t("queue.title")} lead={t("queue.lead")}>
      {counts.length > 0 && <Text c="dimmed" size="sm">{counts.join(", ")}</Text>}
      <ListTable
        label={t("queue.title")}
        list={list}
        explain={problemOf}
        empty={<Empty title={t("nothingWaiting")} card />}
        columns={columns}
        rowKey={({ id }) => id}
        phone={(job) => (
          <>
            <strong>
              {job.job} {job.id}
            </strong>
            <Retry job={job} />
            <span>{statusText(job.status)}</span>
            <span>{job.error}</span>
          </>
        )}
      />
    </Page>
  );
}

function Retry({ job }: { job: Job }) {
  if (job.status !== "failed") return null;
  return <RowAction name="jobs" body={{ id: job.id }} label={t("queue.retryOf", { id: String(job.id) })} text={t("queue.retry")} done={t("queue.done")} />;
}
