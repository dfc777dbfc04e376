/** Saves the outcome of a job, with the contacts that it found, as bulklookup.xlsx. */
import { toast } from "../../../shared/toasts";
import type { BulkJob } from "../../api/bulk";
import { explainExport, useExportJob } from "../../api/exports";

export function useResult() {
  const { mutate, isPending } = useExportJob();
  const download = ({ jobid }: BulkJob) => mutate(jobid, { onError: (error) => toast(explainExport(error), "bad") });
  return { download, busy: isPending };
}
