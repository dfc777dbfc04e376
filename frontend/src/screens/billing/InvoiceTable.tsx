/** Invoices, each with its PDF, and where it can be paid while it is open. */
import { Anchor, Badge, Button, Table } from "@mantine/core";
import { FileDown } from "lucide-react";
import { explain } from "../../api/explain";
import { useInvoicePdf } from "../../api/invoices";
import type { Transaction } from "../../api/types";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n";
import { dollars } from "../../lib/money";
import { toast } from "../../stores/toasts";
import classes from "./Billing.module.css";

const TONES = { paid: "pine", open: "yellow", refunded: "gray", failed: "red" } as const;

export function InvoiceTable({ rows }: { rows: Transaction[] }) {
  const pdf = useInvoicePdf();
  const save = (number: string) => pdf.mutate(number, { onError: (error) => toast(explain(error), "bad") });
  return (
    <Table.ScrollContainer minWidth={720} tabIndex={0} role="region" aria-label={t("billing.list")}>
      <Table className={classes.table} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("billing.number")}</Table.Th>
            <Table.Th>{t("billing.date")}</Table.Th>
            <Table.Th>{t("billing.item")}</Table.Th>
            <Table.Th>{t("billing.validUntil")}</Table.Th>
            <Table.Th>{t("billing.amount")}</Table.Th>
            <Table.Th>{t("billing.status")}</Table.Th>
            <Table.Th>{t("seats.actions")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row key={row.invoicenumber} row={row} saving={pdf.isPending && pdf.variables === row.invoicenumber} onSave={save} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
      </Table.Td>
      <Table.Td className={classes.act}>
        {status === "open" && row.payurl && (
          <Anchor href={row.payurl} aria-label={t("billing.payOf", { number })}>
            {t("billing.payNow")}
          </Anchor>
        )}
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<FileDown size={14} aria-hidden="true" />}
          aria-label={t("billing.pdfOf", { number })}
          loading={saving}
          onClick={() => onSave(number)}
        >
          {t("billing.pdf")}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
