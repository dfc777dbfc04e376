/** One line for each API key: its calls in the month, and what they revealed. */
import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { UsageSpan } from "../../api/scripts";
import type { ApiUsage } from "../../api/types";
import { apiUsage } from "../../api/usage";
import { CopyKey } from "../../components/CopyKey";
import type { Column } from "../../components/ui/DataTable";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import { toast } from "../../stores/toasts";
import { Report } from "./Report";
import { TeamChart } from "./TeamChart";
import classes from "./Usage.module.css";

// Calls beyond what a key may make are refused, so there are none to report.
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

export function ApiReport({ span }: { span: UsageSpan }) {
  const list = useQuery(apiUsage(span));
  return (
    <Report
      list={list}
      label={t("usage.api")}
      columns={COLUMNS}
      rowKey={({ keyid }) => keyid}
      totals={TOTALS}
      chart={(rows) => (
        <TeamChart title={t("usage.byKey")} kinds={KINDS} bars={rows.map((row) => ({ key: row.keyid, name: row.apikey, parts: partsOf(row) }))} />
      )}
      phone={(row) => (
        <div className={classes.phone}>
          <Key row={row} />
          <span>
            {t("usage.calls")} {text(row.callcount)}
          </span>
        </div>
      )}
    />
  );
}

async function copy(key: string): Promise<void> {
  await copyText(key);
  toast(t("copied"));
}

function Key({ row: { apikey, isdeleted } }: { row: ApiUsage }) {
  return (
    <>
      <CopyKey apikey={apikey} onCopy={() => void copy(apikey)} />
      {Boolean(isdeleted) && (
        <Badge ml={8} color="gray" variant="light">
          {t("usage.deletedKey")}
        </Badge>
      )}
    </>
  );
}
