/** The search parameters of invoices, kept in the address. */
import { useSearchParams } from "react-router";
import type { InvoiceSearch } from "../../api/invoices";
import { pageNumber } from "../../lib/paging";

const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text);

const read = (params: URLSearchParams): InvoiceSearch => ({
  number: params.get("invoice") ?? "",
  from: isDay(params.get("from")) ? params.get("from")! : "",
  to: isDay(params.get("to")) ? params.get("to")! : "",
  page: pageNumber(params.get("page")),
});

export function useInvoiceParams(): [InvoiceSearch, (change: Partial<InvoiceSearch>) => void] {
  const [params, setParams] = useSearchParams();
  const change = (part: Partial<InvoiceSearch>) =>
    setParams(
      (old) => {
        const { number, from, to, page } = { ...read(old), page: 1, ...part };
        return { ...(number && { invoice: number }), ...(from && { from }), ...(to && { to }), ...(page > 1 && { page: String(page) }) };
      },
      { replace: part.page === undefined, preventScrollReset: true },
    );
  return [read(params), change];
}
