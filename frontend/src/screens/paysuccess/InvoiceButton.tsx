/** Downloads the latest invoice, which is that of the payment. */
import { FileDown } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { invoices, useInvoicePdf } from "../../api/invoices";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n.dashboard";

const LATEST = { number: "", from: "", to: "", page: 1 };

export function InvoiceButton() {
  const number = useQuery(invoices(LATEST)).data?.resource[0]?.invoicenumber;
  const { mutate, isPending } = useInvoicePdf();
  if (!number) return "–";
  return (
    <BusyButton
      size="compact-sm"
      variant="default"
      leftSection={<FileDown size={14} strokeWidth={1.75} aria-hidden="true" />}
      aria-label={t("billing.pdfOf", { number })}
      busy={isPending}
      onClick={() => mutate(number, { onError: (error) => toast(explain(error), "bad") })}
    >
      {number}
    </BusyButton>
  );
}
