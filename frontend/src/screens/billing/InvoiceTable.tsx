/** Invoices, each with its PDF and, while it is open, a link to pay it. */
import { Anchor, Badge, Box, Text } from "@mantine/core";
import { FileDown } from "lucide-react";
import { useMemo } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { useInvoicePdf } from "../../api/invoices";
import type { Transaction } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { planText } from "../../domain/plantexts";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { dollarsAndCents } from "../../lib/money";
import classes from "./Billing.module.css";

const TONES = { paid: "pine", open: "yellow", refunded: "gray", failed: "red" } as const;

/** `saving` is the number of the invoice that is being downloaded. */
function columnsOf(saving: string | null, onSave: (number: string) => void): Column<Transaction>[] {
  return [
    { key: "number", head: t("billing.number"), cell: ({ invoicenumber }) => <Box component="span" fw="var(--fw-500)">{invoicenumber}</Box> },
    { key: "date", head: t("billing.date"), cell: ({ transactiondate }) => dayText(transactiondate) },
    { key: "item", head: t("billing.item"), cell: (row) => <Item row={row} /> },
    { key: "until", head: t("billing.validUntil"), cell: ({ expirydate }) => dayText(expirydate) || "–" },
    { key: "amount", head: t("billing.amount"), align: "end", cell: ({ price }) => dollarsAndCents(price) },
    { key: "status", head: t("billing.status"), cell: (row) => <Status row={row} /> },
    { key: "actions", head: t("seats.actions"), align: "end", cell: (row) => <Actions row={row} saving={saving === row.invoicenumber} onSave={onSave} /> },
  ];
}

export function InvoiceTable({ rows, foot }: { rows: Transaction[]; foot?: React.ReactNode }) {
  const { mutate, isPending, variables } = useInvoicePdf();
  const saving = isPending ? variables : null;
  const columns = useMemo(
    () => columnsOf(saving, (number) => mutate(number, { onError: (error) => toast(explain(error), "bad") })),
    [saving, mutate],
  );
  const actions = columns.at(-1)!;
  return (
    <DataTable
      label={t("billing.list")}
      columns={columns}
      rows={rows}
      rowKey={({ invoicenumber }) => invoicenumber}
      foot={foot}
      phone={(row) => (
        <div className={classes.phone}>
          <Box component="strong" fw="var(--fw-500)">{row.invoicenumber}</Box>
          <strong>{dollarsAndCents(row.price)}</strong>
          <span>
            <Item row={row} />, {dayText(row.transactiondate)}
          </span>
          <Status row={row} />
          <div>{actions.cell(row)}</div>
        </div>
      )}
    />
  );
}

function Item({ row }: { row: Transaction }) {
  return (
    <>
      {planText(row.planname)}
      {Boolean(row.isaddon) && <Text span inherit c="dimmed"> · {t("billing.addon")}</Text>}
    </>
  );
}

function Status({ row }: { row: Transaction }) {
  const { status = "paid" } = row;
  return (
    <span className={classes.status}>
      <Badge variant="light" color={TONES[status]}>
        {t(`billing.${status}`)}
      </Badge>
      {status === "paid" && Number(row.refunded ?? 0) > 0 && (
        <Badge variant="light" color={TONES.refunded}>
          {t("billing.partlyRefunded", { amount: dollarsAndCents(row.refunded ?? 0) })}
        </Badge>
      )}
    </span>
  );
}

function Actions({ row, saving, onSave }: { row: Transaction; saving: boolean; onSave: (number: string) => void }) {
  const { invoicenumber: number, status = "paid" } = row;
  return (
    <span className={classes.act}>
      {status === "open" && row.payurl && (
        <Anchor href={row.payurl} fz="inherit" fw={500} aria-label={t("billing.payOf", { number })}>
          {t("billing.payNow")}
        </Anchor>
      )}
      <BusyButton
        size="compact-sm"
        variant="default"
        leftSection={<FileDown size={14} strokeWidth={1.75} aria-hidden="true" />}
        aria-label={t("billing.pdfOf", { number })}
        busy={saving}
        onClick={() => onSave(number)}
      >
        {t("billing.pdf")}
      </BusyButton>
    </span>
  );
}
