/** Search by number, and a range of days. */
import { Box, Button, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useState } from "react";
import type { InvoiceSearch } from "../../api/invoices";
import { FilterChip } from "../../components/ui/FilterChip";
import { DateInput } from "../../components/ui/DateInput";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Billing.module.css";

const DEBOUNCE_MS = 500;

interface Props {
  search: InvoiceSearch;
  onChange: (change: Partial<InvoiceSearch>) => void;
}

export function InvoiceFilters({ search, onChange }: Props) {
  const [typed, setTyped] = useState(search.number);
  const [cleared, setCleared] = useState(0);
  const find = useDebouncedCallback((number: string) => onChange({ number }), DEBOUNCE_MS);
  const { number, from, to } = search;
  const clear = () => {
    setTyped("");
    setCleared(cleared + 1); // also clears a half-typed date
    find.cancel();
    onChange({ number: "", from: "", to: "" });
  };
  return (
    <Group align="flex-end" gap="sm" className={classes.filters} role="search">
      <TextInput
        className={classes.search}
        size="sm"
        label={t("billing.search")}
        placeholder={t("billing.searchPlaceholder")}
        leftSection={<Search size={16} aria-hidden="true" />}
        value={typed}
        maxLength={100}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          find(event.currentTarget.value.trim());
        }}
      />
      <DateInput key={`from${cleared}`} label={t("billing.from")} value={from} onChange={(day) => onChange({ from: day })} />
      <DateInput key={`to${cleared}`} label={t("billing.to")} value={to} onChange={(day) => onChange({ to: day })} />
      <Group align="stretch" gap="xs">
        {presets().map(({ text, span }) => (
          <FilterChip key={text} pressed={from === span.from && to === span.to} onChange={(on) => onChange(on ? span : { from: "", to: "" })}>
            {text}
          </FilterChip>
        ))}
      </Group>
      {(number || from || to) && (
        <Button variant="subtle" color="gray" size="sm" onClick={clear}>
          {t("billing.clear")}
        </Button>
      )}
      {from && to && from > to && (
        <Box component="p" flex="0 1 100%" c="var(--danger)" fz="xs" role="alert">
          {t("billing.dateOrder")}
        </Box>
      )}
    </Group>
  );
}

/** The usual spans, in the days of invoices, which are in UTC. */
function presets(now = new Date()): { text: string; span: { from: string; to: string } }[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return [
    { text: t("billing.lastMonth"), span: spanOf(Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0)) },
    { text: t("billing.thisYear"), span: spanOf(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31)) },
    { text: t("billing.lastYear"), span: spanOf(Date.UTC(year - 1, 0, 1), Date.UTC(year - 1, 11, 31)) },
  ];
}

const isoOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const spanOf = (first: number, last: number) => ({ from: isoOf(first), to: isoOf(last) });
