/** A company of the directory: its people by function and country, the ones already revealed, and a table of them. */
import { Box } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Building2 } from "lucide-react";
import { Link, useParams, useSearchParams } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { type Match, facet, people } from "../../api/people";
import { revealedAt } from "../../api/contacts";
import { Empty } from "../../components/Empty";
import { Card } from "../../components/ui/Card";
import { Page } from "../../components/ui/Page";
import { industryName } from "../../domain/industry";
import type { PeopleFilters } from "../../domain/peoplefilter";
import { countryName } from "../../lib/countryname";
import { briefDayText } from "../../lib/dates";
import { type TextKey, t } from "../../lib/i18n.people";
import { numberText, rangeText } from "../../lib/locale";
import { FoundPeople, RevealFirst, sortOf, useFoundPeople } from "../person/FoundPeople";
import classes from "./Company.module.css";
import { Shares } from "./Shares";

/** What the people are filtered by, in the address. */
const FIELDS = ["function", "country"] as const;
type Field = (typeof FIELDS)[number];
const NAMES: Record<Field, (value: string) => string> = { function: (value) => t(`people.function.${value}` as TextKey), country: countryName };
const TITLES: Record<Field, string> = { function: t("people.byFunction"), country: t("people.countries") };

export function CompanyScreen() {
  const company = useParams()["company"] ?? "";
  const [params, setParams] = useSearchParams();
  const chosen = Object.fromEntries(FIELDS.flatMap((field) => (params.get(field) ? [[field, [params.get(field)!]]] : [])));
  const wanted = params.get("order") ?? "";
  const order = sortOf(wanted) ? wanted : "";
  const filters: PeopleFilters = { company: [company], ...chosen, ...(order && { order }) };
  const all = useInfiniteQuery(people({ company: [company] }));
  const found = useFoundPeople(filters);
  const { meta, picked } = found;
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
  const one = all.data?.pages[0]?.resource[0];
  return (
    <Page
      title={one?.company ?? company}
      back={{ to: "/dashboard/main/companysearch", text: t("menu.companysearch") }}
      lead={one && <About found={one} />}
      actions={<RevealFirst found={found} />}
    >
      {one && (
        <div className={classes.cards}>
          {FIELDS.map((field) => (
            <Distribution key={field} field={field} search={{ company: [company] }} chosen={params.get(field) ?? ""} onChoose={(value) => change(field, value)} />
          ))}
          <Ours company={one.company} of={all.data?.pages[0]?.meta.count ?? 0} />
        </div>
      )}
      <p role="status" className="visually-hidden">
        {meta && t("people.count", { count: meta.count })}
      </p>
      <FoundPeople
        found={found}
        label={t("people.peopleAt", { count: meta?.count ?? 0, name: company })}
        order={order}
        onOrder={(next) => change("order", next)}
        empty={<Empty card icon={<Building2 size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={params.size > 0 ? t("people.noneText") : t("people.noCompany")} />}
      />
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
          <Box component="a" c="var(--accent)" href={`https://${company_domain}`} target="_blank" rel="noopener noreferrer">
            {company_domain}
          </Box>
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
    <Card title={t(isOwner(me) ? "people.ours" : "people.yours")} text={data && t("people.revealedOf", { count: numberText(count), of: numberText(of) })} action={count > 0 && <Box component={Link} c="var(--accent)" to={contacts}>{t("people.inContacts")}</Box>}>
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
