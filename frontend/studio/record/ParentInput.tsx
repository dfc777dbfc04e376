/** The value of a foreign key: typed, or found by the name of the record that it refers to. */
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useState } from "react";
import { list, tableInfo } from "../api/queries";
import type { Field } from "../api/types";
import { nameOf } from "../filter/tree";
import { labelField, nameFields, nameIn, shown } from "../lib/format";
import { useName } from "../grid/useNames";
import { searchFilter } from "../lib/listing";

interface Props {
  id: string;
  dataset: string;
  field: Field;
  value: string;
  placeholder: string;
  "aria-label"?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
  onChange: (text: string) => void;
}

const OFFERED = 8;

export function ParentInput({ dataset, field, value, onChange, ...rest }: Props) {
  const target = field.ref_table ?? "";
  const key = field.ref_field ?? "";
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const search = useDeferredValue(value);
  const info = useQuery(tableInfo(dataset, target));
  const label = info.data ? labelField(info.data) : null;
  const canRead = info.data?.access.includes("GET") ?? false;
  const named = info.data ? nameFields(info.data).filter((other) => other.name !== key) : [];
  const says = named.length > 0 ? named : label && label.name !== key ? [label] : [];
  const names = [key, ...says.map((other) => other.name)].map(nameOf).join(",");
  const filter = info.data ? searchFilter(info.data, search) : "";
  const found = useQuery({
    ...list(dataset, target, { fields: names, filter: filter || undefined, limit: OFFERED }, { previous: true }),
    enabled: isOpen && canRead,
  });
  const options = isOpen ? (found.data?.resource ?? []) : [];
  const name = useName(dataset, field, value);
  const listId = `${rest.id}-list`;

  function choose(index: number): void {
    const row = options[index];
    if (!row) return;
    onChange(shown(row[key]));
    setOpen(false);
    setActive(-1);
  }

  function pressed(event: KeyboardEvent): void {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setActive((active + (event.key === "ArrowDown" ? 1 : options.length) + (active < 0 && event.key === "ArrowUp" ? 1 : 0)) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen && active >= 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      setOpen(false);
    }
  }

  return (
    <div className="combo">
      <input
        {...rest}
        className="input"
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={options.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 && options.length > 0 ? `${listId}-${active}` : undefined}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setOpen(true);
          setActive(-1);
        }}
        onKeyDown={pressed}
        onBlur={() => setOpen(false)}
      />
      {name && <span className="combo-name">{name}</span>}
      <div id={listId} role="listbox" aria-label={target} className="combo-list" hidden={options.length === 0}>
        {options.map((row, index) => (
          // Keeps the focus in the input, because its blur would close the list before the choice.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the box handles the keys
          <div key={shown(row[key])} id={`${listId}-${index}`} role="option" aria-selected={index === active} onPointerDown={(event) => event.preventDefault()} onClick={() => choose(index)}>
            <span className="combo-key">{shown(row[key])}</span>
            {says.length > 0 && <span>{nameIn(says, row)}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}
