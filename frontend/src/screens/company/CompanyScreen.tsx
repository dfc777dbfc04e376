/** A company of the directory: its people by function and country, the ones already revealed, and a table of them. */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Building2, Eye } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { problemOf } from "../../api/explain";
import { type Known, type Match, MOST_REVEALED, facet, people } from "../../api/people";
import { revealedAt } from "../../api/contacts";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { Page } from "../../components/ui/Page";
import { usePicked } from "../../components/usePicked";
import { industryName } from "../../domain/industry";
import type { PeopleFilters } from "../../domain/peoplefilter";
import { countryName } from "../../lib/countryname";
import { briefDayText } from "../../lib/dates";
import { type TextKey, t } from "../../lib/i18n.people";
import { numberText, rangeText } from "../../lib/locale";
import { PeopleTable, type Purchase } from "../person/PeopleTable";
import classes from "./Company.module.css";
import { Shares } from "./Shares";

/** What the people are filtered by, in the address. */
const FIELDS = ["function", "country"] as const;
type Field = (typeof FIELDS)[number];
const NAMES: Record<Field, (value: string) => string> = { function: (value) => t(`people.function.${value}` as TextKey), country: countryName };
const TITLES: Record<Field, string> = { function: t("people.byFunction"), country: t("people.countries") };
const ORDER = "full_name";

export function CompanyScreen() {
  const company = useParams()["company"] ?? "";
  const [params, setParams] = useSearchParams();
  const [buying, setBuying] = useState<Purchase | null>(null);
  const picked = usePicked<Known>(({ linkedinurl }) => linkedinurl);
  const chosen = Object.fromEntries(FIELDS.flatMap((field) => (params.get(field) ? [[field, [params.get(field)!]]] : [])));
  const order = params.get("order") === `${ORDER} desc` ? `${ORDER} desc` : params.get("order") === ORDER ? ORDER : "";
  const filters: PeopleFilters = { company: [company], ...chosen, ...(order && { order }) };
  const all = useInfiniteQuery(people({ company: [company] }));
  const list = useInfiniteQuery(people(filters));
  const rows = useMemo(() => list.data?.pages.flatMap(({ resource }) => resource), [list.data]);
  const meta = list.data?.pages[0]?.meta;
  const first = Math.min(MOST_REVEALED, meta?.count ?? 0);
  const change = (name: string, value: string) => {
    picked.clear();
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        next.delete(name);
        if (value) next.set(name, value);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  const found = all.data?.pages[0]?.resource[0];
  return (
    <Page
      title={found?.company ?? company}
      back={{ to: "/dashboard/main/companysearch", text: t("menu.companysearch") }}
      lead={found && <About found={found} />}
      actions={
        first > 0 && (
          <Button variant="default" size="sm" leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setBuying({ chosen: { search: filters, first }, count: first })}>
            {t("people.revealFirst", { count: first })}
          </Button>
        )
      }
    >
      {found && (
        <div className={classes.cards}>
          {FIELDS.map((field) => (
            <Distribution key={field} field={field} search={{ company: [company] }} chosen={params.get(field) ?? ""} onChoose={(value) => change(field, value)} />
          ))}
          <Ours company={found.company} of={all.data?.pages[0]?.meta.count ?? 0} />
        </div>
      )}
      <p role="status" className="visually-hidden">
        {meta && t("people.count", { count: meta.count })}
      </p>
      <ListState
        list={list}
        rows={rows}
        explain={problemOf}
        skeleton={{ lines: 8 }}
        empty={<Empty card icon={<Building2 size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={params.size > 0 ? t("people.noneText") : t("people.noCompany")} />}
      >
        {(shown) => (
          <PeopleTable
            label={t("people.peopleAt", { count: meta?.count ?? 0, name: company })}
            rows={shown}
            picked={picked}
            sort={order ? { by: "name", down: order.endsWith("desc") } : undefined}
            onSort={(by) => by === "name" && change("order", order === ORDER ? `${ORDER} desc` : ORDER)}
            buying={buying}
            onBuying={setBuying}
            foot={
              list.hasNextPage && (
                <BusyButton variant="subtle" size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {t("people.more")}
                </BusyButton>
              )
            }
          />
        )}
      </ListState>
    </Page>
  );
}

function About({ found: { industry, company_size, company_domain } }: { found: Match }) {
  const size = company_size && t("people.employees", { size: rangeText(company_size) });
  return (
    <>
      {[industryName(industry), size].filter(Boolean).join(" · ")}
      {company_domain && (
        <>
          {(industry || size) && " · "}
          <a className={classes.domain} href={`https://${company_domain}`} target="_blank" rel="noopener noreferrer">
            {company_domain}
          </a>
        </>
      )}
    </>
  );
}

interface DistributionProps {
  field: Field;
  search: PeopleFilters;
  chosen: string;
  onChoose: (value: string) => void;
}

function Distribution({ field, search, chosen, onChoose }: DistributionProps) {
  const values = useQuery(facet(field, "", { people: search })).data?.resource ?? [];
  const name = NAMES[field];
  return (
    <Card title={TITLES[field]}>
      <Shares label={TITLES[field]} parts={values.map(({ value, count }) => ({ value, name: name(value), count }))} chosen={chosen} onChoose={onChoose} />
    </Card>
  );
}

/** The revealed people of the company: revealed by anyone in the account for the owner, by the user for a member. */
function Ours({ company, of }: { company: string; of: number }) {
  const me = useAccount();
  const { data } = useQuery(revealedAt(company, isOwner(me) ? me.clientid : undefined));
  const count = data?.meta?.count ?? 0;
  const contacts = `/dashboard/main/mycontacts?search=${encodeURIComponent(company)}${isOwner(me) ? "&by=team" : ""}`;
  return (
    <Card title={t(isOwner(me) ? "people.ours" : "people.yours")} text={data && t("people.revealedOf", { count: numberText(count), of: numberText(of) })} action={count > 0 && <Link className={classes.domain} to={contacts}>{t("people.inContacts")}</Link>}>
      <ul className={classes.ours}>
        {data?.resource.map(({ contactid, name, title, createdon }) => (
          <li key={contactid}>
            <Link to={`${contacts}&contact=${contactid}`}>
              <span title={title ?? ""}>{name}</span>
              <small>{briefDayText(createdon)}</small>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export { CompanyScreen as Component };
