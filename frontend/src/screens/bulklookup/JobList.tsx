/** The user's latest jobs. */
import { Box, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { bulkJobs } from "../../api/bulk";
import type { BulkJobRow } from "../../api/types";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.people";
import { numberText } from "../../lib/locale";
import classes from "./BulkLookup.module.css";

const COLUMNS: readonly Column<BulkJobRow>[] = [
  {
    key: "started",
    head: t("bulk.started"),
    cell: (job) => (
      <Box component={Link} c="var(--accent)" fw="var(--fw-500)" to={`?job=${job.jobid}`} aria-label={t("bulk.openJob", { date: momentText(job.createdon) })}>
        {momentText(job.createdon)}
      </Box>
    ),
  },
  { key: "status", head: t("bulk.status"), cell: (job) => t(`bulk.${job.status}`) },
  { key: "people", head: t("bulk.people"), align: "end", cell: (job) => numberText(job.total) },
  { key: "charged", head: t("bulk.rowCharged"), align: "end", cell: (job) => numberText(job.charged) },
];

/** Empty before the first job, and if the list cannot be loaded, because a new job does not depend on it. */
export function JobList() {
  const jobs = useQuery(bulkJobs);
  if (!jobs.data || jobs.data.resource.length === 0) return null;
  return (
    <div className={classes.jobs}>
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <h2>{t("bulk.jobs")}</h2>
      </Group>
      <DataTable label={t("bulk.jobs")} columns={COLUMNS} rows={jobs.data.resource} rowKey={(job) => job.jobid} />
    </div>
  );
}
