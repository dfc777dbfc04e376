/** The filters of a search, the usual ones first; collapsible on a phone. */
import { Button, Stack, TextInput } from "@mantine/core";
import { ChevronDown, SlidersHorizontal } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { facet } from "../../api/people";
import type { Asked, Field, Term } from "../../domain/peoplefilter";
import { industryName } from "../../domain/industry";
import { countryName } from "../../lib/countryname";
import { type TextKey, t } from "../../lib/i18n.people";
import { rangeText } from "../../lib/locale";
import classes from "./PeopleSearch.module.css";
import { TermFilter } from "./TermFilter";

interface Props {
  asked: Asked;
  fields: readonly Field[];
  /** The search, in which the values of each filter are counted. */
  search: Parameters<typeof facet>[2];
  nameLabel: string;
  onChange: (change: Partial<Asked>) => void;
}

const wordOf = (field: "seniority" | "function" | "has" | "verification") => (value: string) => t(`people.${field}.${value}` as TextKey);

/** The names of values, for fields that have them. The server searches the values of the others. */
const NAMES: Partial<Record<Field, (value: string) => string>> = {
  seniority: wordOf("seniority"),
  function: wordOf("function"),
  company_size: rangeText,
  industry: industryName,
  country: countryName,
  has: wordOf("has"),
  verification: wordOf("verification"),
};
const SELDOM: readonly Field[] = ["company_size", "industry", "city", "has", "verification"];

export function Filters({ asked, fields, search, nameLabel, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState(asked.name);
  const [shown, setShown] = useState(asked.name);
  const countOf = (some: readonly Field[]) => some.reduce((sum, field) => sum + (asked.terms[field]?.length ?? 0), 0);
  const count = countOf(fields) + (asked.name ? 1 : 0);
  if (asked.name !== shown) {
    setShown(asked.name);
    setName(asked.name);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ name: name.trim() });
  };
  const seldom = fields.length > SELDOM.length ? SELDOM : [];
  const filterOf = (field: Field) => {
    const nameOf = NAMES[field];
    return (
      <TermFilter
        key={field}
        field={field}
        label={t(`people.field.${field}`)}
        terms={asked.terms[field] ?? []}
        search={search}
        free={field === "title"}
        {...(nameOf && { nameOf })}
        onChange={(terms: Term[]) => onChange({ terms: { ...asked.terms, [field]: terms } })}
      />
    );
  };
  return (
    <form className={classes.filters} data-open={open || undefined} role="search" aria-label={t("people.filters")} onSubmit={submit} noValidate>
      <button type="button" className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />
        {count > 0 ? t("people.filtersOn", { count }) : t("people.filters")}
        <ChevronDown size={16} strokeWidth={1.75} aria-hidden="true" />
      </button>
      <Stack gap="sm" className={classes.fields}>
        <TextInput size="sm" label={nameLabel} value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.currentTarget.value)} onBlur={() => name.trim() !== asked.name && onChange({ name: name.trim() })} />
        {fields.filter((field) => !seldom.includes(field)).map(filterOf)}
        {seldom.length > 0 && (
          <details className={classes.more} open={countOf(seldom) > 0 || undefined}>
            <summary>{t("people.moreFilters")}</summary>
            <Stack gap="sm" className={classes.fields}>{seldom.map(filterOf)}</Stack>
          </details>
        )}
        {count > 0 && (
          <Button variant="subtle" size="sm" onClick={() => onChange({ name: "", terms: {} })}>
            {t("people.clear")}
          </Button>
        )}
      </Stack>
    </form>
  );
}
