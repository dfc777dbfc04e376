/** One filter: its values as chips that can be excluded or removed, and a field with suggestions that adds another. */
import { TextInput } from "@mantine/core";
import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import type { Term } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import classes from "./PeopleSearch.module.css";

interface Props {
  label: string;
  terms: readonly Term[];
  /** Suggested values and their names. Without `free`, no others are accepted. */
  suggestions: readonly (readonly [value: string, name: string])[];
  free?: boolean;
  /** Formats a value. */
  nameOf?: (value: string) => string;
  onTyped?: (text: string) => void;
  onChange: (terms: Term[]) => void;
}

const same = (one: string, other: string) => one.toLocaleLowerCase() === other.toLocaleLowerCase();

export function TermFilter({ label, terms, suggestions, free = false, nameOf = (value) => value, onTyped, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const list = useId();
  const wanted = suggestions.filter(([value]) => !terms.some((term) => term.value === value));

  const take = (text: string): boolean => {
    const known = suggestions.find(([value, name]) => same(name, text) || same(value, text));
    const value = known?.[0] ?? (free ? text : undefined);
    if (!value) return false;
    if (!terms.some((term) => same(term.value, value))) onChange([...terms, { value, not: false }]);
    setTyped("");
    onTyped?.("");
    return true;
  };
  return (
    <div className={classes.filter} role="group" aria-label={label}>
      {terms.length > 0 && (
        <ul className={classes.terms}>
          {terms.map(({ value, not }) => (
            <li key={value} data-not={not || undefined}>
              <button
                type="button"
                className={classes.not}
                aria-pressed={not}
                aria-label={t("people.exclude", { value: nameOf(value) })}
                title={t("people.excludeHint")}
                onClick={() => onChange(terms.map((term) => (term.value === value ? { value, not: !not } : term)))}
              >
                {not && <span className={classes.notMark}>{t("people.not")}</span>}
                {nameOf(value)}
              </button>
              <button type="button" className={classes.drop} aria-label={t("people.drop", { value: nameOf(value) })} onClick={() => onChange(terms.filter((term) => term.value !== value))}>
                <X size={14} strokeWidth={1.75} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <TextInput
        size="sm"
        label={label}
        placeholder={t(free ? "people.addFree" : "people.addOne")}
        list={list}
        value={typed}
        maxLength={200}
        rightSection={
          typed.trim() && (
            <button type="button" className={classes.drop} aria-label={t("people.add", { value: typed })} onClick={() => take(typed.trim())}>
              <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
            </button>
          )
        }
        onChange={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          onTyped?.(text);
          // Choosing a suggestion sets the whole text at once.
          if ((event.nativeEvent as InputEvent).inputType !== "insertText" && wanted.some(([, name]) => name === text)) take(text);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && typed.trim()) {
            event.preventDefault();
            take(typed.trim());
          } else if (event.key === "Backspace" && typed === "" && terms.length > 0) onChange(terms.slice(0, -1));
        }}
      />
      <datalist id={list}>
        {wanted.map(([value, name]) => (
          <option key={value} value={name} aria-label={name} />
        ))}
      </datalist>
    </div>
  );
}
