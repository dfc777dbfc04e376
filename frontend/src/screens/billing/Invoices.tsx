/** The invoices of the company. Search text and page are kept in the address. */
import { Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { useSearchParams } from "react-router";
import { problemOf } from "../../api/explain";
import { invoices, INVOICES_PER_PAGE, type InvoiceSearch } from "../../api/invoices";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { Pager } from "../../components/ui/Pager";
import { t } from "../../lib/i18n.dashboard";
import { InvoiceFilters } from "./InvoiceFilters";
import { InvoiceTable } from "./InvoiceTable";
import { pageNumber } from "../../lib/paging";

export function Invoices() {
  const [search, change] = useInvoiceParams();
  const list = useQuery(invoices(search));
  const isSearch = Boolean(search.number || search.from || search.to);
  const count = list.data?.meta?.count ?? 0;
  const pager = count > INVOICES_PER_PAGE && (
    <Pager page={search.page} size={INVOICES_PER_PAGE} count={count} onChange={change} withSizes={false} />
  );
  return (
    <Stack component="section" aria-label={t("billing.invoices")}>
      <Group justify="space-between" wrap="nowrap">
        <h2>{t("billing.invoices")}</h2>
      </Group>
      <InvoiceFilters search={search} onChange={change} />
      <ListState
        list={list}
        rows={list.data?.resource}
        explain={problemOf}
        skeleton={{ lines: 4 }}
        empty={<Empty icon={<ReceiptText size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={isSearch ? "" : t("billing.noneYet")} card />}
      >
        {(rows) => <InvoiceTable rows={rows} foot={pager} />}
      </ListState>
    </Stack>
  );
}

const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text);

const read = (params: URLSearchParams): InvoiceSearch => ({
  number: params.get("invoice") ?? "",
  from: isDay(params.get("from")) ? params.get("from")! : "",
  to: isDay(params.get("to")) ? params.get("to")! : "",
  page: pageNumber(params.get("page")),
});

/** The search parameters of invoices, kept in the address. */
function useInvoiceParams(): [InvoiceSearch, (change: Partial<InvoiceSearch>) => void] {
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
