/** Tab, month and search text of the reports, kept in the address. */
import { useSearchParams } from "react-router";
import { monthNow, monthOf } from "../../lib/months";

export type Tab = "platform" | "api";

export interface UsageParams {
  tab: Tab;
  month: string;
  search: string;
}

export function useUsageParams(): [UsageParams, (change: Partial<UsageParams>) => void] {
  const [params, setParams] = useSearchParams();
  const change = (part: Partial<UsageParams>) =>
    setParams(
      (old) => {
        const next = { ...read(old), ...part };
        return {
          ...(next.tab !== "platform" && { tab: next.tab }),
          ...(next.month !== monthNow() && { month: next.month }),
          ...(next.search && { search: next.search }),
        };
      },
      { replace: part.search !== undefined, preventScrollReset: true },
    );
  return [read(params), change];
}

function read(params: URLSearchParams): UsageParams {
  return {
    tab: params.get("tab") === "api" ? "api" : "platform",
    month: monthOf(params.get("month")),
    search: params.get("search") ?? "",
  };
}
