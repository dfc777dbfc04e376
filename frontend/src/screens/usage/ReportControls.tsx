/** The month with its arrows, and the search of a report. */
import { ActionIcon, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { ChevronLeft, ChevronRight, Search } from "lucide-react";
import { useRef, useState } from "react";
import { useKeptFocus } from "../../components/useKeptFocus";
import { t } from "../../lib/i18n.dashboard";
import { monthAfter, monthNow, monthText } from "../../lib/months";
import classes from "./Usage.module.css";

const DEBOUNCE_MS = 500;

interface Props {
  month: string;
  search: string;
  label: string;
  onChange: (change: { month?: string; search?: string }) => void;
}

export function ReportControls({ month, search, label, onChange }: Props) {
  const [typed, setTyped] = useState(search);
  const report = useDebouncedCallback((text: string) => onChange({ search: text }), DEBOUNCE_MS);
  const move = (steps: number) => onChange({ month: monthAfter(month, steps) });
  const months = useRef<HTMLDivElement>(null);
  useKeptFocus(months, "button:enabled");
  return (
    <Group justify="space-between" gap="sm" className={classes.controls}>
      <div ref={months} className={classes.month} role="group" aria-label={t("usage.month")}>
        <ActionIcon variant="default" size="md" aria-label={t("usage.previous")} onClick={() => move(-1)}>
          <ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
        <strong aria-live="polite">{monthText(month)}</strong>
        <ActionIcon variant="default" size="md" aria-label={t("usage.next")} disabled={month >= monthNow()} onClick={() => move(1)}>
          <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </div>
      <TextInput
        className={classes.search}
        size="sm"
        aria-label={t("usage.search")}
        placeholder={label}
        leftSection={<Search size={16} aria-hidden="true" />}
        value={typed}
        maxLength={100}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          report(event.currentTarget.value.trim());
        }}
      />
    </Group>
  );
}
