/** When a program last used one of the API keys. */
import { useQuery } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { keyUses } from "../../api/apikeys";
import { briefDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";

export function KeyUse() {
  const { data } = useQuery(keyUses);
  if (!data) return null;
  const last = data.resource
    .map(({ lastused }) => lastused ?? "")
    .toSorted()
    .at(-1);
  return (
    <span className={classes.change}>
      <Clock size={16} strokeWidth={1.75} aria-hidden="true" />
      {last ? t("home.keyUsed", { date: briefDayText(last) }) : t(data.resource.length > 0 ? "home.keyUnused" : "home.noKey")}
    </span>
  );
}
