/** One client: its parts in tabs. */
import { Anchor, Badge, Group, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useParams, useSearchParams } from "react-router";
import { KINDS, type Overview, overviewOf } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Problem } from "../../components/Problem";
import { Page } from "../../components/ui/Page";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { dayText, momentText } from "../../lib/dates";
import { t as shared } from "../../lib/i18n";
import { t } from "../../lib/i18n.desk";
import { Audit, Keys, Ledger, Payments, Sessions } from "./ClientLists";
import desk from "./Desk.module.css";
import { OverviewTab } from "./OverviewTab";
import { noteClient } from "./recent";
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
  const name = overview.data && title;
  useEffect(() => {
    if (name) noteClient({ clientid, name });
  }, [clientid, name]);
  if (overview.data) {
    return (
      <Page title={title} back={back} lead={<Head of={overview.data} />}>
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

/** The owner of the client, its last use, and its health: credits, payments, subscription. */
function Head({ of }: { of: Overview }) {
  const owner = of.users.find(({ role, isdeleted }) => role === "client" && !isdeleted);
  const seen = [...of.sessions.map(({ lastused }) => lastused), ...of.users.flatMap(({ lastloginon }) => lastloginon ?? [])].toSorted().at(-1);
  return (
    <>
      <p>{t("client.lead", { id: String(of.client.clientid), date: dayText(of.client.createdon) })}</p>
      <Group component="dl" align="stretch" gap="var(--s-2) var(--s-8)" mt="sm" mb={0} className={desk.head2}>
        <div>
          <dt>{t("find.owner")}</dt>
          <dd>{owner ? <>{owner.name} <Anchor href={`mailto:${owner.email}`}>{owner.email}</Anchor></> : t("none")}</dd>
        </div>
        <div>
          <dt>{t("client.lastSeen")}</dt>
          <dd>{seen ? momentText(seen) : t("client.never")}</dd>
        </div>
        <div>
          <dt>{t("client.health")}</dt>
          <Group component="dd" align="stretch" gap="var(--s-1)">
            {healthOf(of).map(({ text, tone }) => <Badge key={text} color={tone} variant="light">{text}</Badge>)}
          </Group>
        </div>
      </Group>
    </>
  );
}

interface Sign {
  text: string;
  tone: "pine" | "yellow" | "red";
}

/** The problems of a client, worst first; a single positive sign if there are none. */
function healthOf(of: Overview): Sign[] {
  const signs: Sign[] = [];
  const balances = of.credits[0];
  const empty = KINDS.filter((kind) => (balances?.[kind] ?? 0) === 0);
  if (of.payments[0]?.status === "failed") signs.push({ text: t("client.paymentFailed"), tone: "red" });
  if (!of.subscriptions.some(({ isactive }) => isactive)) signs.push({ text: t("client.noPlan"), tone: "red" });
  if (empty.length > 0) signs.push({ text: t("client.noCredits", { kinds: empty.map((kind) => t(`kinds.${kind}`)).join(", ") }), tone: "yellow" });
  const lapsing = of.subscriptions.find(({ isactive, autorenew }) => isactive && !autorenew);
  if (lapsing) signs.push({ text: t("client.until", { date: dayText(lapsing.expirydate) }), tone: "yellow" });
  return signs.length > 0 ? signs : [{ text: t("client.well"), tone: "pine" }];
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
        <Tabs.Panel key={name} value={name} pt="md">
          {name === shown && <Part of={of} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
