/** People revealed in the last days and in an equal period before, in one request. */
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../../api/account";
import { revealCount } from "../../api/dashboard";
import { periodOf } from "../../domain/reveals";
import { daysAgo, daysSince } from "../../lib/dates";

export const WINDOWS = ["7", "30", "90"] as const;
export type Days = (typeof WINDOWS)[number];

export function useRevealed(days: Days, team: boolean) {
  const me = useAccount();
  // Today is the last of them.
  const from = daysAgo(2 * Number(days) - 1);
  const query = useQuery(revealCount(me.appuserid, from, daysAgo(Number(days) - 1), team));
  return { query, period: query.data && periodOf(daysSince(from), query.data.days ?? []) };
}
