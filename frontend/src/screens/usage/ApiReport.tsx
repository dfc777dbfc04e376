/** One line for each API key: its calls in the month, and their reveals. */
import { Badge, Box, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { toast } from "../../../shared/toasts";
import { hasApi, useAccount } from "../../api/account";
import type { UsageSpan } from "../../api/scripts";
import type { ApiUsage } from "../../api/types";
import { apiUsage } from "../../api/usage";
import { CopyKey } from "../../components/CopyKey";
import { Empty } from "../../components/Empty";
import { ButtonLink } from "../../components/ui/ButtonLink";
import type { Column } from "../../components/ui/DataTable";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import { Report } from "./Report";
import { TeamChart } from "./TeamChart";
import classes from "./Usage.module.css";

// Calls beyond a key's limit are rejected, so there are none to report.
const OVERAGE = 0;
const KINDS = [t("usage.personal"), t("usage.business"), t("usage.dials")];
const TOTALS = [
  [t("usage.calls"), (row: ApiUsage) => row.callcount],
  [t("usage.personal"), (row: ApiUsage) => row.personalemailcount],
  [t("usage.business"), (row: ApiUsage) => row.businessemailcount],
  [t("usage.dials"), (row: ApiUsage) => row.directdialscount],
] as const;
const partsOf = (row: ApiUsage) => [row.personalemailcount, row.businessemailcount, row.directdialscount];
const text = numberText;

const COLUMNS: Column<ApiUsage>[] = [
  { key: "method", head: t("usage.method"), cell: () => <code>GET</code> },
  { key: "key", head: t("usage.key"), cell: (row) => <Key row={row} /> },
  { key: "calls", head: t("usage.calls"), align: "end", cell: ({ callcount }) => text(callcount) },
  { key: "overage", head: t("usage.overage"), align: "end", cell: () => text(OVERAGE) },
  { key: "personal", head: t("usage.personal"), align: "end", cell: (row) => text(row.personalemailcount) },
  { key: "business", head: t("usage.business"), align: "end", cell: (row) => text(row.businessemailcount) },
  { key: "dials", head: t("usage.dials"), align: "end", cell: (row) => text(row.directdialscount) },
];

/** The keys with the most calls first; ties with the older first. */
const byCalls = (rows: ApiUsage[]) => rows.toSorted((one, other) => other.callcount - one.callcount);

export function ApiReport({ span }: { span: UsageSpan }) {
  const list = useQuery({ ...apiUsage(span), select: byCalls });
  return (
    <Report
      list={list}
      rows={list.data}
      label={t("usage.api")}
      columns={COLUMNS}
      rowKey={({ keyid }) => keyid}
      totals={TOTALS}
      empty={<NoKeys searched={span.search !== ""} />}
      chart={(rows) => (
        <TeamChart title={t("usage.byKey")} kinds={KINDS} bars={rows.map((row) => ({ key: row.keyid, name: nameOf(row), parts: partsOf(row) }))} />
      )}
      phone={(row) => (
        <Group wrap="nowrap" justify="space-between" gap="sm">
          <Key row={row} />
          <Box component="span" flex="none" c="dimmed" className={classes.calls}>
            <strong>{text(row.callcount)}</strong> {t("usage.calls")}
          </Box>
        </Group>
      )}
    />
  );
}

/** The purpose of a key is more informative than the key itself. */
const nameOf = ({ purpose, apikey }: ApiUsage) => purpose || apikey;

/** Without a key: a link to create one, or to a plan that includes them. */
function NoKeys({ searched }: { searched: boolean }) {
  const mayUse = hasApi(useAccount());
  const icon = <KeyRound size={24} strokeWidth={1.75} aria-hidden="true" />;
  if (searched) return <Empty icon={icon} title={t("noDataFound")} card />;
  return (
    <Empty
      card
      icon={icon}
      title={t("noDataFound")}
      text={mayUse ? t("usage.noKeys") : t("usage.noApi")}
      action={
        <ButtonLink to={mayUse ? "/dashboard/settings/api" : "/dashboard/upgradeplan"} role="link" variant="default">
          {mayUse ? t("usage.toKeys") : t("menu.viewPlans")}
        </ButtonLink>
      }
    />
  );
}

function Key({ row: { apikey, purpose, isdeleted } }: { row: ApiUsage }) {
  return (
    <Group gap="0 var(--s-3)" className={classes.key}>
      <span className={classes.purpose} title={purpose}>{purpose}</span>
      <CopyKey apikey={apikey} onCopied={() => toast(t("copied"))} />
      {Boolean(isdeleted) && (
        <Badge color="gray" variant="light">
          {t("usage.deletedKey")}
        </Badge>
      )}
    </Group>
  );
}
