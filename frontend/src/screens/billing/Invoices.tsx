/** The invoices of the company. What is searched for and the page are in the address. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { INVOICES_PER_PAGE, invoices } from "../../api/invoices";
import type { List, Transaction } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Pager } from "../../components/ui/Pager";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Billing.module.css";
import { InvoiceFilters } from "./InvoiceFilters";
import { InvoiceTable } from "./InvoiceTable";
import { useInvoiceParams } from "./useInvoiceParams";

export function Invoices() {
  const [search, change] = useInvoiceParams();
  const list = useQuery(invoices(search));
  const count = list.data?.meta?.count ?? 0;
  const pager = count > INVOICES_PER_PAGE && (
    <Pager page={search.page} size={INVOICES_PER_PAGE} count={count} onChange={change} withSizes={false} />
  );
  return (
    <section className={classes.invoices} aria-label={t("billing.invoices")}>
      <h2>{t("billing.invoices")}</h2>
      <InvoiceFilters search={search} onChange={change} />
      <Content list={list} pager={pager} />
    </section>
  );
}

function Content({ list, pager }: { list: UseQueryResult<List<Transaction>>; pager: React.ReactNode }) {
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={4} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} card />;
  }
  if (list.data.resource.length === 0) {
    return <Empty icon={<ReceiptText size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} card />;
  }
  return <InvoiceTable rows={list.data.resource} foot={pager} />;
}
