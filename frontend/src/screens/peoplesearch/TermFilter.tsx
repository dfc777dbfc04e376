/** One filter: its values as chips that can be excluded or removed, and a field that lists the values that exist, each
 with the number of results. Several can be chosen one after the other. */
import { Box, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, ChevronDown, X } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useId, useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { facet } from "../../api/people";
import type { Field, Term } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import { numberText } from "../../lib/locale";
import classes from "./TermFilter.module.css";

const TYPE_MS = 150;
const MOST_SHOWN = 50;

interface Props {
  field: Field;
  label: string;
  terms: readonly Term[];
  /** The other filters. */
  search: Parameters<typeof facet>[2];
  /** Formats a value. Values with names are searched by name. */
  nameOf?: (value: string) => string;
  /** Any text is a value, such as words of a title. */
  free?: boolean;
  onChange: (terms: Term[]) => void;
}

interface Option {
  value: string;
  name: string;
  /** Undefined for the typed text. */
  count?: number;
}

export function TermFilter({ field, label, terms, search, nameOf, free = false, onChange }: Props) {
  const queries = useQueryClient();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [opened, setOpened] = useState(false);
  const [at, setAt] = useState(0);
  const [missing, setMissing] = useState(false);
  const [settled] = useDebouncedValue(typed.trim(), TYPE_MS);
  const named = (value: string) => (nameOf ? nameOf(value) : value);
  const query = (text: string) => facet(field, nameOf ? "" : text, search);
  const values = useQuery({ ...query(settled), enabled: opened }).data?.resource;
  const optionsOf = (found: readonly { value: string; count: number }[] | undefined, text: string): Option[] => {
    const all = matching((found ?? []).map(({ value, count }) => ({ value, count, name: named(value) })), text);
    return free && text ? [{ value: text, name: text }, ...all.filter(({ name }) => !same(name, text))] : all;
  };
  const options = optionsOf(values, typed.trim()).slice(0, MOST_SHOWN);
  const most = Math.max(...options.map(({ count = 0 }) => count), 1);
  const active = options[Math.min(at, options.length - 1)];
  const isOn = ({ value }: Option) => terms.some((term) => same(term.value, value));

  const type = (text: string) => {
    setTyped(text);
    setAt(0);
    setMissing(false);
    setOpened(true);
  };
  const toggle = (option: Option) => {
    onChange(isOn(option) ? terms.filter((term) => !same(term.value, option.value)) : [...terms, { value: option.value, not: false }]);
    if (typed) type("");
  };
  /** Takes the active value; what was typed just now may not have been answered yet. */
  const take = async () => {
    const text = typed.trim();
    if (!text) return active && toggle(active);
    const found = text === settled && values ? values : (await queries.fetchQuery(query(text))).resource;
    const known = optionsOf(found, text);
    const option = known[at] ?? known[0];
    setMissing(!option);
    if (option && !isOn(option)) toggle(option);
    else if (option) type("");
  };
  /** Takes every pasted line that is a value. */
  const paste = async (event: ClipboardEvent) => {
    const lines = event.clipboardData.getData("text").split(/[\n\t;]+/).map((line) => line.trim()).filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    const found = await Promise.all(lines.map(async (line) => optionsOf((await queries.fetchQuery(query(line))).resource, line)[0]));
    const fresh = found.filter((option) => option !== undefined && !isOn(option)).map((option) => option!.value);
    setMissing(fresh.length === 0);
    onChange([...terms, ...[...new Set(fresh)].map((value) => ({ value, not: false }))]);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (typed.trim() || opened)) {
      event.preventDefault();
      take().catch(rejected);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!opened) return setOpened(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((at + step + options.length) % Math.max(options.length, 1));
    } else if (event.key === "Escape" && opened) {
      event.stopPropagation();
      setOpened(false);
    } else if (event.key === "Backspace" && typed === "" && terms.length > 0) onChange(terms.slice(0, -1));
  };
  return (
    <Stack gap="xs" pos="relative" role="group" aria-label={label}>
      <TextInput
        size="sm"
        label={label}
        placeholder={t(free ? "people.addFree" : "people.addOne")}
        role="combobox"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-list` : undefined}
        aria-activedescendant={opened && active ? `${id}-${options.indexOf(active)}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        value={typed}
        maxLength={200}
        error={missing && t("people.noValue", { text: typed.trim() })}
        rightSection={<ChevronDown size={16} strokeWidth={1.75} aria-hidden="true" />}
        rightSectionPointerEvents="none"
        onChange={(event) => type(event.currentTarget.value)}
        onClick={() => setOpened(true)}
        onBlur={() => setOpened(false)}
        onKeyDown={press}
        onPaste={(event) => paste(event).catch(rejected)}
      />
      {opened && (
        <div id={`${id}-list`} role="listbox" tabIndex={-1} aria-label={label} aria-multiselectable="true" className={classes.list}>
          {options.map((option, index) => (
            <div
              key={`${option.value} ${option.count === undefined}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={isOn(option)}
              data-active={option === active || undefined}
              ref={option === active ? intoView : undefined}
              // Before the field loses the focus, which closes the list.
              onPointerDown={(event) => {
                event.preventDefault();
                toggle(option);
              }}
            >
              <span className={classes.bar} style={{ inlineSize: `${((option.count ?? 0) / most) * 100}%` }} aria-hidden="true" />
              <span className={classes.name}>{option.count === undefined ? t("people.words", { text: option.name }) : option.name}</span>
              {isOn(option) && <Check size={14} aria-hidden="true" />}
              {/* A word of its own in the name of the option. */}{" "}
              {option.count !== undefined && <Box component="span" pos="relative" c="dimmed">{numberText(option.count)}</Box>}
            </div>
          ))}
          {options.length === 0 && (
            <Text role="option" aria-selected="false" aria-disabled="true" tabIndex={-1} component="div" inherit c="dimmed">
              {values ? t("people.noValue", { text: typed.trim() }) : t("loading")}
            </Text>
          )}
        </div>
      )}
      {terms.length > 0 && (
        <Group component="ul" align="stretch" gap="var(--s-1)" className={classes.terms}>
          {terms.map(({ value, not }) => (
            <li key={value} data-not={not || undefined}>
              <button
                type="button"
                className={classes.not}
                aria-pressed={not}
                aria-label={t("people.exclude", { value: named(value) })}
                title={t("people.excludeHint")}
                onClick={() => onChange(terms.map((term) => (term.value === value ? { value, not: !not } : term)))}
              >
                {not && <Box component="span" me="var(--s-1)" c="var(--danger)" fw="var(--fw-600)">{t("people.not")}</Box>}
                {named(value)}
              </button>
              <button type="button" className={classes.drop} aria-label={t("people.drop", { value: named(value) })} onClick={() => onChange(terms.filter((term) => term.value !== value))}>
                <X size={14} strokeWidth={1.75} aria-hidden="true" />
              </button>
            </li>
          ))}
        </Group>
      )}
    </Stack>
  );
}

const rejected = (error: unknown) => toast(explain(error), "bad");
const plain = (text: string): string => text.toLocaleLowerCase();
const same = (one: string, other: string): boolean => plain(one) === plain(other);
const intoView = (line: HTMLElement | null) => line?.scrollIntoView({ block: "nearest" });

/** The options that contain a text, those that begin with it first, each part in the order of the list. */
function matching<One extends Option>(options: readonly One[], text: string): One[] {
  const rankOf = ({ name, value }: One): number => {
    const [whole, typed] = [plain(name), plain(text)];
    if (whole === typed || plain(value) === typed) return 0;
    return whole.startsWith(typed) ? 1 : whole.includes(typed) ? 2 : 3;
  };
  return options.filter((option) => rankOf(option) < 3).toSorted((one, other) => rankOf(one) - rankOf(other));
}
