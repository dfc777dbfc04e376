/** The invoices of the company. Search text and page are kept in the address. */
import { useQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { problemOf } from "../../api/explain";
import { INVOICES_PER_PAGE, invoices } from "../../api/invoices";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { Pager } from "../../components/ui/Pager";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Billing.module.css";
import { InvoiceFilters } from "./InvoiceFilters";
import { InvoiceTable } from "./InvoiceTable";
import { useInvoiceParams } from "./useInvoiceParams";

export function Invoices() {
  const [search, change] = useInvoiceParams();
  const list = useQuery(invoices(search));
  const isSearch = Boolean(search.number || search.from || search.to);
  const count = list.data?.meta?.count ?? 0;
  const pager = count > INVOICES_PER_PAGE && (
    <Pager page={search.page} size={INVOICES_PER_PAGE} count={count} onChange={change} withSizes={false} />
  );
  return (
    <section className={classes.invoices} aria-label={t("billing.invoices")}>
      <div className={classes.head}>
        <h2>{t("billing.invoices")}</h2>
      </div>
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
    </section>
  );
}
