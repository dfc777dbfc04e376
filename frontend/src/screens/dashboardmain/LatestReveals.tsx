/** The contacts added most recently; each opens in My Contacts. */
import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { latestContacts } from "../../api/dashboard";
import type { UserContact } from "../../api/types";
import { KIND_ICONS } from "../../components/kindIcons";
import { NameAvatar } from "../../components/NameAvatar";
import { valuesOf } from "../../domain/contacts";
import { KINDS } from "../../domain/reveal";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { NotLoaded } from "./NotLoaded";

const LINES = [1, 2, 3, 4, 5, 6];

export function LatestReveals() {
  const latest = useQuery(latestContacts);
  return (
    <section className={classes.card} aria-label={t("home.latest")}>
      <h2>
        <Link to="/dashboard/main/mycontacts">{t("home.latest")}</Link>
      </h2>
      <ul className={classes.latest}>
        {latest.isPending && LINES.map((line) => (
          <li key={line} className={classes.line}>
            <Skeleton circle width={32} height={32} />
            <Skeleton width="60%" height={12} />
          </li>
        ))}
        {latest.data?.resource.map((row) => <Latest key={row.contactid} row={row} />)}
        {latest.data?.resource.length === 0 && <Text component="li" c="dimmed" size="sm">{t("noDataFound")}</Text>}
      </ul>
      <NotLoaded query={latest} />
    </section>
  );
}

function Latest({ row }: { row: UserContact }) {
  const { phones, business, personal } = valuesOf(row);
  const kinds = KINDS.filter((kind) => ({ phone: phones, business, personal })[kind].length > 0);
  return (
    <li>
      <Link className={classes.line} to={`/dashboard/main/mycontacts?contact=${row.contactid}`}>
        <NameAvatar name={row.name} size={32} drawn />
        <span className={classes.who}>
          <strong>{row.name}</strong>
          <time dateTime={row.createdon.slice(0, 10)}>{dayText(row.createdon)}</time>
        </span>
        <Group component="span" align="stretch" gap="xs" wrap="nowrap" c="var(--text-3)">
          {kinds.map((kind) => {
            const Icon = KIND_ICONS[kind];
            return <Icon key={kind} size={16} strokeWidth={1.75} role="img" aria-label={t(`kind.${kind}`)} />;
          })}
        </Group>
      </Link>
    </li>
  );
}
