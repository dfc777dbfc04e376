/** The editor of a cell: Enter and leaving it save, Escape discards. */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Field, Json } from "../api/types";
import { isBoolean } from "../lib/format";
import { BadValue, textOf } from "../record/draft";
import { Input } from "../record/FieldInput";
import { RequestError } from "../record/Why";
import { T } from "../texts";
import { Button } from "../ui";

interface Props {
  dataset: string;
  field: Field;
  value: Json;
  label: string;
  place: { left: number; top: number; width: number; height: number };
  onSave: (text: string | null) => Promise<void>;
  /** Called when editing has ended; `move` is the direction of the next cell. */
  onDone: (move: "stay" | "down" | "right" | "left" | "elsewhere") => void;
}

export default function CellEditor({ dataset, field, value, label, place, onSave, onDone }: Props) {
  const first = value === null ? null : textOf(field, value);
  const [text, setText] = useState(first);
  const [error, setError] = useState<string | null>(null);
  const [rejected, setRejected] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isClosed = useRef(false);

  useEffect(() => {
    const input = box.current?.querySelector<HTMLInputElement>("input, select, textarea");
    input?.focus();
    if (input instanceof HTMLInputElement && input.type === "text") input.select();
  }, []);

  async function save(next: string | null, move: Parameters<Props["onDone"]>[0]): Promise<void> {
    if (isBusy || isClosed.current) return;
    setBusy(true);
    setError(null);
    try {
      await onSave(next);
      isClosed.current = true;
      onDone(move);
    } catch (problem) {
      setRejected(problem);
      setError(problem instanceof BadValue || problem instanceof Error ? problem.message : T.failed);
      setBusy(false);
      box.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    }
  }

  function pressed(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      isClosed.current = true;
      onDone("stay");
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void save(text, "down");
    } else if (event.key === "Tab") {
      event.preventDefault();
      void save(text, event.shiftKey ? "left" : "right");
    }
  }

  function left(event: FocusEvent): void {
    if (box.current?.contains(event.relatedTarget) || error) return;
    void save(text, "elsewhere");
  }

  const isChoice = isBoolean(field) || field.picklist !== null;
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the box inside is what has the focus
    <div ref={box} role="row" className="cell-editor" style={{ transform: `translate(${place.left}px, ${place.top}px)`, minWidth: place.width }} onKeyDown={pressed} onBlur={left}>
      <div role="gridcell" className="cell-editor-box">
        <Input
          id="cell-editor"
          dataset={dataset}
          field={field}
          text={text}
          isNull={text === null}
          isNew={false}
          error={error ?? undefined}
          aria-label={label}
          onChange={(next) => {
            setText(next);
            if (isChoice) void save(next, "stay");
          }}
        />
        {field.allow_null && text !== null && !isChoice && <Button className="null-button" aria-label={T.setNull(field.name)} onClick={() => void save(null, "stay")}>{T.toNull}</Button>}
      </div>
      {error && <div role="gridcell"><RequestError message={error} error={rejected} id="cell-editor-error" /></div>}
    </div>
  );
}
