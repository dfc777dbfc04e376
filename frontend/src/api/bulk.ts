/** Bulk look-ups: estimate, start, progress, cancellation, contacts. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { isFollowed } from "./following";
import { keys } from "./keys";
import { useMutation } from "./mutation";
import { rows } from "./tables";
import type { RevealType } from "./types";

export interface BulkInput {
  file: File;
  kinds: RevealType[];
}

export interface Estimate {
  estimate: number;
  estimates: Partial<Record<RevealType, number>>;
  total: number;
}

export interface BulkRow {
  line: number;
  linkedinurl: string;
  status: "waiting" | "done" | "invalid" | "notfound" | "skipped" | "nocredit";
  charged: number;
  contactid: number | null;
}

export interface BulkJob {
  jobid: number;
  status: "queued" | "running" | "done" | "cancelled" | "failed";
  kinds: RevealType[];
  max_credits: number;
  charged: number;
  total: number;
  processed: number;
  rows: BulkRow[];
}

const POLL_MS = 1000;
/** The interval while following a job. The stream reports charges and the end at once, but not rows without a charge.
 */
const FOLLOWED_MS = 3000;
const LATEST = 10;

/** The last jobs of the caller. */
export const LATEST_JOBS = { order: "createdon DESC", limit: LATEST };
export const bulkJobs = rows("bulkjob", LATEST_JOBS);

export const isOver = (job: BulkJob): boolean => !["queued", "running"].includes(job.status);

/** A job, polled until it is over. */
export const bulkJob = (jobid: number) =>
  queryOptions({
    queryKey: keys.bulkJob(jobid),
    queryFn: ({ signal }) => call<BulkJob>("GET", `bulklookup/${jobid}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : isFollowed("bulkjob") ? FOLLOWED_MS : POLL_MS),
  });

function send<T>({ file, kinds }: BulkInput, query: { max_credits: number; estimateonly?: boolean }): Promise<T> {
  const body = new FormData();
  body.append("files", file);
  return call<T>("POST", "bulklookup", { body, query: { kinds: kinds.join(","), ...query } });
}

/** The estimated cost of a list. Starts nothing. */
export const estimate = ({ file, kinds }: BulkInput) =>
  queryOptions({
    queryKey: keys.bulkEstimate(file, kinds),
    queryFn: () => send<Estimate>({ file, kinds }, { max_credits: 0, estimateonly: true }),
    staleTime: 0,
    gcTime: 0,
  });

export const useStartBulk = () =>
  useMutation({
    mutationFn: ({ max_credits, ...input }: BulkInput & { max_credits: number }) => send<{ jobid: number }>(input, { max_credits }),
  });

export function useCancelBulk() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (jobid: number) => call<BulkJob>("DELETE", `bulklookup/${jobid}`),
    onSuccess: (job) => queries.setQueryData(bulkJob(job.jobid).queryKey, job),
  });
}
