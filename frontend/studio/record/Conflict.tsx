/** Two versions of a record side by side: the rejected edit and the stored one. */
import { useState } from "react";
import type { Row, TableInfo } from "../api/types";
import { Value } from "../grid/Cell";
import { T } from "../texts";
import { Button, Dialog } from "../ui";
import { conflictsOf } from "./draft";
import type { VersionConflict } from "./useSave";

interface Props {
  info: TableInfo;
  conflict: VersionConflict;
  onClose: () => void;
  onKeep: (values: Row) => void;
  onDiscard: () => void;
}

export function Conflict({ info, conflict: { mine, theirs }, onClose, onKeep, onDiscard }: Props) {
  const differing = conflictsOf(info.field, mine, theirs);
  const [keepsTheirs, setKeepsTheirs] = useState<ReadonlySet<string>>(new Set());

  function choose(name: string, isTheirs: boolean): void {
    const next = new Set(keepsTheirs);
    if (isTheirs) next.add(name);
    else next.delete(name);
    setKeepsTheirs(next);
  }

  function keep(): void {
    const values = Object.fromEntries(Object.entries(mine).filter(([name]) => !keepsTheirs.has(name)));
    if (Object.keys(values).length === 0) onDiscard();
    else onKeep(values);
  }

  return (
    <Dialog title={T.conflict} onClose={onClose} className="wide">
      <p className="dim">{T.conflictHint}</p>
      <table className="plain-table">
        <thead>
          <tr><th scope="col">{T.column}</th><th scope="col">{T.mine}</th><th scope="col">{T.theirs}</th></tr>
        </thead>
        <tbody>
          {differing.map((field) => (
            <tr key={field.name}>
              <th scope="row">{field.name}</th>
              {[false, true].map((isTheirs) => (
                <td key={String(isTheirs)}>
                  <label className="choice">
                    <input type="radio" aria-label={`${field.name}: ${isTheirs ? T.theirs : T.mine}`} name={`conflict-${field.name}`} checked={keepsTheirs.has(field.name) === isTheirs} onChange={() => choose(field.name, isTheirs)} />
                    <span><Value field={field} value={(isTheirs ? theirs : mine)[field.name] ?? null} /></span>
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <Button tone="primary" onClick={keep}>{T.keepMine}</Button>
        <Button onClick={onDiscard}>{T.takeTheirs}</Button>
      </div>
    </Dialog>
  );
}
