/** The use of the keys this month, and the number of keys. */
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import type { ApiUsage } from "../../api/types";
import { Stat } from "../../components/ui/Stat";
import { t } from "../../lib/i18n.api";
import { countText } from "../../lib/locale";
import { monthNow, monthText } from "../../lib/months";
import classes from "./Api.module.css";

interface Props {
  /** Undefined until it is known. */
  usage: ApiUsage[] | undefined;
  keys: number | undefined;
  left: number;
}

export function KeyStats({ usage, keys, left }: Props) {
  const month = monthText(monthNow());
  const sum = (valueOf: (row: ApiUsage) => number) => countText(usage?.reduce((total, row) => total + valueOf(row), 0));
  return (
    <div className={classes.stats}>
      <Stat label={t("api.callsMonth")} value={sum(({ callcount }) => callcount)} note={month} />
      <Stat
        label={t("api.creditsMonth")}
        value={sum((row) => row.personalemailcount + row.businessemailcount + row.directdialscount)}
        note={
          <Anchor component={Link} to="/dashboard/settings/usage?tab=api" fz="inherit">{t("api.seeUsage")}</Anchor>
        }
      />
      <Stat label={t("api.keysTitle")} value={countText(keys)} unit={keys === undefined ? null : `/${keys + left}`} note={t("api.left", { count: left })} />
    </div>
  );
}
