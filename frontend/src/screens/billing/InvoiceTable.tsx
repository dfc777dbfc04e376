/** Invoices, each with its PDF, and where it can be paid while it is open. */
import { Anchor, Badge, Table } from "@mantine/core";
import { FileDown } from "lucide-react";
import { explain } from "../../api/explain";
import { useInvoicePdf } from "../../api/invoices";
import type { Transaction } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { CardTable } from "../../components/ui/CardTable";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import { toast } from "../../stores/toasts";
import classes from "./Billing.module.css";

const COLUMNS = [
  t("billing.number"),
  t("billing.date"),
  t("billing.item"),
  t("billing.validUntil"),
  t("billing.amount"),
  t("billing.status"),
  t("seats.actions"),
];
const TONES = { paid: "pine", open: "yellow", refunded: "gray", failed: "red" } as const;

export function InvoiceTable({ rows }: { rows: Transaction[] }) {
  const pdf = useInvoicePdf();
  const save = (number: string) => pdf.mutate(number, { onError: (error) => toast(explain(error), "bad") });
  return (
    <CardTable minWidth={720} label={t("billing.list")} columns={COLUMNS} className={classes.table}>
      {rows.map((row) => (
        <Row key={row.invoicenumber} row={row} saving={pdf.isPending && pdf.variables === row.invoicenumber} onSave={save} />
      ))}
    </CardTable>
  );
}

interface RowProps {
  row: Transaction;
  saving: boolean;
  onSave: (number: string) => void;
}

function Row({ row, saving, onSave }: RowProps) {
  const { invoicenumber: number, status = "paid" } = row;
  return (
    <Table.Tr>
      <Table.Td className={classes.number}>{number}</Table.Td>
      <Table.Td className={classes.nowrap}>{dayText(row.transactiondate)}</Table.Td>
      <Table.Td>
        {row.planname}
        {Boolean(row.isaddon) && <span className={classes.addon}> · {t("billing.addon")}</span>}
      </Table.Td>
      <Table.Td className={classes.nowrap}>{dayText(row.expirydate) || "–"}</Table.Td>
      <Table.Td className={classes.nowrap}>{dollars(row.price)}</Table.Td>
      <Table.Td>
        <Badge variant="light" tt="none" color={TONES[status]}>
          {t(`billing.${status}`)}
        </Badge>
        {status === "paid" && Number(row.refunded ?? 0) > 0 && (
          <Badge variant="light" tt="none" color={TONES.refunded} ml={6}>
            {t("billing.partlyRefunded", { amount: dollars(row.refunded ?? 0) })}
          </Badge>
        )}
      </Table.Td>
      <Table.Td className={classes.act}>
        {status === "open" && row.payurl && (
          <Anchor href={row.payurl} aria-label={t("billing.payOf", { number })}>
            {t("billing.payNow")}
          </Anchor>
        )}
        <BusyButton
          size="compact-sm"
          variant="default"
          leftSection={<FileDown size={14} aria-hidden="true" />}
          aria-label={t("billing.pdfOf", { number })}
          busy={saving}
          onClick={() => onSave(number)}
        >
          {t("billing.pdf")}
        </BusyButton>
      </Table.Td>
    </Table.Tr>
  );
}
