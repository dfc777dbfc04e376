/** One line for each API key: its calls in the month, and what they revealed. */
import { Badge, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { UsageSpan } from "../../api/scripts";
import type { ApiUsage } from "../../api/types";
import { apiUsage } from "../../api/usage";
import { CopyKey } from "../../components/CopyKey";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import { Report } from "./Report";

const COLUMNS = [
  t("usage.method"),
  t("usage.key"),
  t("usage.calls"),
  t("usage.overage"),
  t("usage.personal"),
  t("usage.business"),
  t("usage.dials"),
];
// Calls beyond what a key may make are refused, so there are none to report.
const OVERAGE = 0;

export function ApiReport({ span }: { span: UsageSpan }) {
  const list = useQuery(apiUsage(span));
  return <Report list={list} label={t("usage.api")} columns={COLUMNS} renderRow={(one) => <KeyLine key={one.keyid} usage={one} />} />;
}

async function copy(key: string): Promise<void> {
  await copyText(key);
  toast(t("copied"));
}

function KeyLine({ usage }: { usage: ApiUsage }) {
  const { apikey, callcount, personalemailcount, businessemailcount, directdialscount } = usage;
  return (
    <Table.Tr>
      <Table.Td>
        <Badge variant="light" radius="sm">
          GET
        </Badge>
      </Table.Td>
      <Table.Td>
        <CopyKey apikey={apikey} onCopy={() => void copy(apikey)} />
        {Boolean(usage.isdeleted) && (
          <Badge ml={8} color="gray" variant="light" tt="none">
            {t("usage.deletedKey")}
          </Badge>
        )}
      </Table.Td>
      {[callcount, OVERAGE, personalemailcount, businessemailcount, directdialscount].map((count, index) => (
        <Table.Td key={index}>{count.toLocaleString("en-US")}</Table.Td>
      ))}
    </Table.Tr>
  );
}
