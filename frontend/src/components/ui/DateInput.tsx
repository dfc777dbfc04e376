/** A day, typed as dd-MM-yyyy or chosen from the browser's own calendar. In and out: yyyy-MM-dd, "" for none. */
import { ActionIcon, TextInput } from "@mantine/core";
import { CalendarDays } from "lucide-react";
import { useRef, useState } from "react";
import { t } from "../../lib/i18n.dashboard";
import { inputFromIso, isoFromInput } from "../../lib/dateinput";
import classes from "./DateInput.module.css";

/** The length of a date. */
const WHOLE = 10;

interface Props {
  label: string;
  value: string;
  onChange: (iso: string) => void;
}

export function DateInput({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState(inputFromIso(value));
  const [shown, setShown] = useState(value);
  const [left, setLeft] = useState(false);
  const calendar = useRef<HTMLInputElement>(null);
  if (value !== shown) {
    setShown(value);
    setTyped(inputFromIso(value));
  }

  const isWrong = typed !== "" && isoFromInput(typed) === null;
  const isWhole = typed.length === WHOLE;
  const type = (text: string) => {
    setTyped(text);
    setLeft(false);
    const iso = text.trim() === "" ? "" : isoFromInput(text);
    if (iso === null || iso === value) return;
    setShown(iso);
    onChange(iso);
  };
  return (
    <div className={classes.date}>
      <TextInput
        label={label}
        size="sm"
        placeholder={t("billing.dateFormat")}
        inputMode="numeric"
        maxLength={10}
        value={typed}
        error={(left || isWhole) && isWrong ? t("billing.dateInvalid") : null}
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={() => setLeft(true)}
        rightSection={
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("billing.calendarOf", { name: label })}
            onClick={() => calendar.current?.showPicker()}
          >
            <CalendarDays size={16} aria-hidden="true" />
          </ActionIcon>
        }
      />
      <input
        ref={calendar}
        type="date"
        className={classes.calendar}
        tabIndex={-1}
        aria-hidden="true"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
