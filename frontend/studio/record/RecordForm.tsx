/** The fields of a record, and how changes of them are saved. */
import { type FormEvent, useState } from "react";
import type { Row, TableInfo } from "../api/types";
import { T } from "../texts";
import { Button } from "../ui";
import { Conflict } from "./Conflict";
import { FieldInput } from "./FieldInput";
import { type Draft, changesOf, textOf } from "./draft";
import { nextRecord } from "./next";
import { useSave } from "./useSave";
import { RequestError } from "./Why";

interface Props {
  dataset: string;
  info: TableInfo;
  id: string;
  row: Row;
  etag: string | null;
}

export function RecordForm({ dataset, info, id, row, etag }: Props) {
  const isNew = id === "";
  const [draft, setDraft] = useState<Draft>(() => (isNew ? nextRecord.take(info) : {}));
  const saving = useSave({ dataset, info, id, row, etag, onSaved: () => setDraft({}) });
  const changes = isNew ? draft : changesOf(info.field, draft, row);
  const isChanged = Object.keys(changes).length > 0;
  const may = (verb: string): boolean => info.access.includes(verb);

  function submit(event: FormEvent): void {
    event.preventDefault();
    void saving.save(changes);
  }

  return (
    <>
      <form className="record" onSubmit={submit} aria-label={info.label}>
        {info.field.map((field) => (
          <FieldInput
            key={field.name}
            dataset={dataset}
            table={info.name}
            field={field}
            value={row[field.name]}
            text={draft[field.name] === undefined ? (isNew ? "" : textOf(field, row[field.name])) : draft[field.name]!}
            isNull={field.name in draft ? draft[field.name] === null : !isNew && row[field.name] === null}
            isEditable={isNew ? field.create : field.update && may("PATCH") && !info.primary_key.includes(field.name)}
            isChanged={field.name in changes}
            isNew={isNew}
            error={saving.errors[field.name]}
            onChange={(text) => setDraft({ ...draft, [field.name]: text })}
          />
        ))}
        {saving.problem && <RequestError message={saving.problem} error={saving.rejected} />}
        {(isChanged || isNew) && (
          <div className="save-bar">
            <Button tone="primary" type="submit" disabled={saving.isBusy}>{T.save}</Button>
            {isChanged && <Button onClick={() => setDraft({})}>{T.discard}</Button>}
          </div>
        )}
      </form>
      {saving.conflict && <Conflict info={info} conflict={saving.conflict} onClose={saving.dropConflict} onKeep={(values) => void saving.keep(values)} onDiscard={() => { saving.dropConflict(); setDraft({}); }} />}
    </>
  );
}
