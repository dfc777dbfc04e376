/** One client: its parts in tabs. */
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "react-router";
import { type Overview, overviewOf } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Problem } from "../../components/Problem";
import { Page } from "../../components/ui/Page";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { dayText } from "../../lib/dates";
import { t as shared } from "../../lib/i18n";
import { t } from "../../lib/i18n.desk";
import { Audit, Keys, Ledger, Payments, Sessions } from "./ClientLists";
import desk from "./Desk.module.css";
import { OverviewTab } from "./OverviewTab";
import { UsersTab } from "./UsersTab";

const TABS = {
  overview: OverviewTab,
  users: UsersTab,
  ledger: Ledger,
  payments: Payments,
  sessions: Sessions,
  audit: Audit,
  keys: Keys,
} as const;
const NAMES = Object.keys(TABS) as (keyof typeof TABS)[];

export function ClientPage() {
  const clientid = Number(useParams()["clientid"]);
  const overview = useQuery(overviewOf(clientid));
  const back = { to: "/desk", text: t("client.back") };
  const title = overview.data?.client.companyname || t("find.unnamed", { id: String(clientid) });
  if (overview.data) {
    const lead = t("client.lead", { id: String(clientid), date: dayText(overview.data.client.createdon) });
    return (
      <Page title={title} back={back} lead={lead}>
        <Parts of={overview.data} />
      </Page>
    );
  }
  return (
    <Page title={title} back={back}>
      {overview.isPending ? <TableSkeleton label={shared("loading")} lines={6} /> : <Problem {...problemOf(overview.error)} retry={overview.refetch} />}
    </Page>
  );
}

function Parts({ of }: { of: Overview }) {
  const [params, setParams] = useSearchParams();
  const asked = params.get("tab") as keyof typeof TABS;
  const shown = NAMES.includes(asked) ? asked : "overview";
  const Part = TABS[shown];
  return (
    <Tabs value={shown} onChange={(tab) => setParams(tab && tab !== "overview" ? { tab } : {}, { replace: true })}>
      <div className={desk.tabs}>
        <Tabs.List aria-label={t("client.tabs")}>
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`client.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      {NAMES.map((name) => (
        <Tabs.Panel key={name} value={name} className={desk.panel}>
          {name === shown && <Part of={of} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
