/** The filters of a search, each with suggestions; collapsible on a phone. */
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, SlidersHorizontal } from "lucide-react";
import { type FormEvent, useState } from "react";
import { companyNames } from "../../api/people";
import { type Asked, FUNCTIONS, type Field, HAS, SENIORITIES, SIZES, type Term, VERIFICATIONS } from "../../domain/peoplefilter";
import { countryName, countryNames } from "../../lib/countryname";
import { type TextKey, t } from "../../lib/i18n.people";
import classes from "./PeopleSearch.module.css";
import { TermFilter } from "./TermFilter";

const TYPE_MS = 250;

interface Props {
  asked: Asked;
  fields: readonly Field[];
  /** Values from the results, as suggestions if there is no complete list. */
  seen: Partial<Record<Field, string[]>>;
  nameLabel: string;
  onChange: (change: Partial<Asked>) => void;
}

const named = (values: readonly string[], nameOf: (value: string) => string) => values.map((value) => [value, nameOf(value)] as const);
const wordOf = (field: "seniority" | "function" | "has" | "verification") => (value: string) => t(`people.${field}.${value}` as TextKey);

/** Fields with a fixed set of values; the others take any text. */
const CHOICES: Partial<Record<Field, { values: () => readonly (readonly [string, string])[]; nameOf: (value: string) => string }>> = {
  seniority: { values: () => named(SENIORITIES, wordOf("seniority")), nameOf: wordOf("seniority") },
  function: { values: () => named(FUNCTIONS, wordOf("function")), nameOf: wordOf("function") },
  company_size: { values: () => named(SIZES, (value) => value), nameOf: (value) => value },
  country: { values: countryNames, nameOf: countryName },
  has: { values: () => named(HAS, wordOf("has")), nameOf: wordOf("has") },
  verification: { values: () => named(VERIFICATIONS, wordOf("verification")), nameOf: wordOf("verification") },
};

export function Filters({ asked, fields, seen, nameLabel, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState(asked.name);
  const [shown, setShown] = useState(asked.name);
  const [typed, setTyped] = useState("");
  const [settled] = useDebouncedValue(typed.trim(), TYPE_MS);
  const companies = useQuery({ ...companyNames(settled), enabled: settled.length > 1 });
  const count = Object.values(asked.terms).reduce((sum, terms) => sum + terms.length, asked.name ? 1 : 0);
  if (asked.name !== shown) {
    setShown(asked.name);
    setName(asked.name);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ name: name.trim() });
  };
  const suggestionsOf = (field: Field) => {
    const values = field === "company" ? [...(companies.data ?? []), ...(seen.company ?? [])] : (seen[field] ?? []);
    return [...new Set(values)].map((value) => [value, value] as const);
  };
  return (
    <form className={classes.filters} data-open={open || undefined} role="search" aria-label={t("people.filters")} onSubmit={submit} noValidate>
      <button type="button" className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />
        {count > 0 ? t("people.filtersOn", { count }) : t("people.filters")}
        <ChevronDown size={16} strokeWidth={1.75} aria-hidden="true" />
      </button>
      <div className={classes.fields}>
        <TextInput size="sm" label={nameLabel} value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.currentTarget.value)} onBlur={() => name.trim() !== asked.name && onChange({ name: name.trim() })} />
        {fields.map((field) => {
          const choice = CHOICES[field];
          return (
            <TermFilter
              key={field}
              label={t(`people.field.${field}`)}
              terms={asked.terms[field] ?? []}
              suggestions={choice ? choice.values() : suggestionsOf(field)}
              free={!choice}
              {...(choice && { nameOf: choice.nameOf })}
              {...(field === "company" && { onTyped: setTyped })}
              onChange={(terms: Term[]) => onChange({ terms: { ...asked.terms, [field]: terms } })}
            />
          );
        })}
        {count > 0 && (
          <Button variant="subtle" size="sm" onClick={() => onChange({ name: "", terms: {} })}>
            {t("people.clear")}
          </Button>
        )}
      </div>
    </form>
  );
}
