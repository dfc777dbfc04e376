/** Calls by API keys this month, and the last use. */
import { useQuery } from "@tanstack/react-query";
import { Activity, Clock } from "lucide-react";
import { keyUses } from "../../api/apikeys";
import { keyCalls } from "../../api/dashboard";
import { briefDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { monthNow } from "../../lib/months";
import classes from "./DashboardMain.module.css";

export function KeyUse() {
  const { data } = useQuery(keyUses);
  const calls = useQuery({ ...keyCalls(`${monthNow()}-01`), enabled: Boolean(data?.resource.length) }).data?.meta?.count;
  if (!data) return null;
  const last = data.resource
    .map(({ lastused }) => lastused ?? "")
    .toSorted()
    .at(-1);
  return (
    <>
      {calls !== undefined && (
        <span className={classes.change}>
          <Activity size={16} strokeWidth={1.75} aria-hidden="true" />
          {t("home.callsMonth", { count: calls })}
        </span>
      )}
      <span className={classes.change}>
        <Clock size={16} strokeWidth={1.75} aria-hidden="true" />
        {last ? t("home.keyUsed", { date: briefDayText(last) }) : t(data.resource.length > 0 ? "home.keyUnused" : "home.noKey")}
      </span>
    </>
  );
}
