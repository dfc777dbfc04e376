/** The invoices of the company: list, search, PDF. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { saveFile } from "../../shared/savefile";
import { t } from "../lib/i18n.dashboard";
import { download } from "./client";
import { useMutation } from "./mutation";
import { literal, rows } from "./tables";

export const INVOICES_PER_PAGE = 10;

export interface InvoiceSearch {
  number: string;
  /** yyyy-MM-dd; an empty text means no limit. */
  from: string;
  to: string;
  page: number;
}

/** The request for the first page. */
export function invoicesQuery({ number, from, to }: InvoiceSearch) {
  const filter = [
    number && `(invoicenumber like ${literal(`%${escaped(number)}%`)})`,
    from && `(transactiondate >= ${literal(`${from} 00:00:00`)})`,
    to && `(transactiondate <= ${literal(`${to} 23:59:59`)})`,
  ].filter(Boolean);
  return { filter: filter.length > 0 ? filter.join(" and ") : undefined, order: "transactiondate DESC", limit: INVOICES_PER_PAGE };
}

export const invoices = (search: InvoiceSearch) =>
  queryOptions({
    ...rows("transactionhistory", { ...invoicesQuery(search), offset: (search.page - 1) * INVOICES_PER_PAGE, include_count: true }),
    placeholderData: keepPreviousData,
  });

/** Escapes the wildcards of a search text. */
const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");

/** Downloads an invoice with credentials in headers, so that they appear in no URL. */
export function useInvoicePdf() {
  return useMutation({
    mutationFn: async (invoicenumber: string) => {
      saveFile(await download("invoicepdf", { query: { invoicenumber } }), t("billing.pdfName", { number: invoicenumber }));
    },
  });
}
