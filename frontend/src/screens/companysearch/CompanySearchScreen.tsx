/** Company Search: companies of the directory by name, industry, size and place; each links to its people. */
import { Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Building2 } from "lucide-react";
import { useMemo } from "react";
import { Link, useNavigate } from "react-router";
import { problemOf } from "../../api/explain";
import { type CompanyMatch, companies } from "../../api/people";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { industryName } from "../../domain/industry";
import { COMPANY_FIELDS, FUNCTIONS, companyFilters, isAsked } from "../../domain/peoplefilter";
import { countryName } from "../../lib/countryname";
import { type TextKey, t } from "../../lib/i18n.people";
import { companyPage } from "../../lib/links";
import { listText, numberText, rangeText } from "../../lib/locale";
import { Filters } from "../peoplesearch/Filters";
import classes from "../peoplesearch/PeopleSearch.module.css";
import { SavedSearches } from "../peoplesearch/SavedSearches";
import { useAsked } from "../peoplesearch/useAsked";

const MOST_FUNCTIONS = 2;

const COLUMNS: readonly Column<CompanyMatch>[] = [
  {
    key: "company",
    head: t("people.field.company"),
    sort: "company",
    wraps: true,
    cell: (row) => (
      <span className={classes.company}>
        <Link to={companyPage(row.company)}>{row.company}</Link>
        <span>{row.company_domain}</span>
      </span>
    ),
  },
  { key: "industry", head: t("people.field.industry"), cell: ({ industry }) => industryName(industry) || "–" },
  { key: "size", head: t("people.field.company_size"), cell: ({ company_size }) => rangeText(company_size) || "–" },
  { key: "countries", head: t("people.countries"), cell: countriesOf },
  { key: "functions", head: t("people.byFunction"), cell: functionsOf },
  {
    key: "people",
    head: t("bulk.people"),
    sort: "people",
    align: "end",
    cell: ({ people }) => numberText(people),
  },
];

export function CompanySearchScreen() {
  const navigate = useNavigate();
  const [asked, ask] = useAsked(COMPANY_FIELDS);
  const filters = useMemo(() => companyFilters(asked), [asked]);
  const list = useInfiniteQuery(companies(filters));
  const rows = useMemo(() => list.data?.pages.flatMap(({ resource }) => resource), [list.data]);
  const meta = list.data?.pages[0]?.meta;
  return (
    <Page
      title={t("menu.companysearch")}
      lead={t("people.companyLead")}
      actions={<SavedSearches kind="companies" fields={COMPANY_FIELDS} filters={isAsked(asked) ? filters : null} onOpen={ask} />}
    >
      <div className={classes.columns}>
        <Filters asked={asked} fields={COMPANY_FIELDS} search={{ companies: filters }} nameLabel={t("people.companyName")} onChange={ask} />
        <Stack component="section" gap="sm" miw={0} aria-label={t("search.results")}>
          <ListState
            list={list}
            rows={rows}
            explain={problemOf}
            skeleton={{ lines: 8, columns: COLUMNS }}
            empty={<Empty card icon={<Building2 size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={t("people.noneText")} />}
          >
            {(found) => (
              <>
                <Group component="p" justify="space-between" gap="xs" c="dimmed" role="status">
                  {meta && t(meta.estimated ? "people.aboutCompanies" : "people.countCompanies", { count: meta.count })}
                </Group>
                <DataTable
                  label={t("menu.companysearch")}
                  columns={COLUMNS}
                  rows={found}
                  rowKey={({ company, company_domain }) => `${company} ${company_domain}`}
                  onOpen={({ company }) => void navigate(companyPage(company))}
                  sort={{ by: asked.order.startsWith("company") ? "company" : "people", down: !asked.order.startsWith("company") || asked.order.endsWith(" desc") }}
                  onSort={(by) => ask({ order: by === "people" ? "" : asked.order === by ? `${by} desc` : by })}
                  phone={(row) => (
                    <Group wrap="nowrap" justify="space-between" gap="xs" miw={0}>
                      <span className={classes.company}>
                        <Link to={companyPage(row.company)}>{row.company}</Link>
                        <span>{[industryName(row.industry), rangeText(row.company_size)].filter(Boolean).join(" · ") || row.company_domain}</span>
                      </span>
                      <span>{t("usage.peopleOf", { count: row.people })}</span>
                    </Group>
                  )}
                  foot={
                    list.hasNextPage && (
                      <BusyButton variant="subtle" size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                        {t("people.more")}
                      </BusyButton>
                    )
                  }
                />
              </>
            )}
          </ListState>
        </Stack>
      </div>
    </Page>
  );
}

/** The country of a company in one; of others their number, because the first names of many say nothing. */
function countriesOf({ countries }: CompanyMatch) {
  const names = countries.map(countryName);
  return names.length === 1 ? names[0] : <span title={listText(names)}>{t("people.inCountries", { count: names.length })}</span>;
}

/** The largest functions with their people: `Sales 12, Engineering 8`. */
function functionsOf({ functions = {} }: CompanyMatch): string {
  return Object.entries(functions)
    .filter(([name]) => (FUNCTIONS as readonly string[]).includes(name))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MOST_FUNCTIONS)
    .map(([name, count]) => `${t(`people.function.${name}` as TextKey)} ${numberText(count)}`)
    .join(", ");
}

export { CompanySearchScreen as Component };
