/** Edit the filter of the address: as a form if it can be represented there, or as text. */
import { useQueries } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { tableInfo } from "../api/queries";
import type { Field, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { T } from "../texts";
import { Button } from "../ui";
import { GroupForm } from "./GroupForm";
import { parseFilter } from "./parse";
import { EMPTY, type Group, type Node, write } from "./tree";

const MAX_PARENTS = 12;

interface Props {
  dataset: string;
  info: TableInfo;
  text: string;
  onClose: () => void;
}

export function FilterPanel({ dataset, info, text, onClose }: Props) {
  const parsed = useMemo(() => parseFilter(text), [text]);
  const [isText, setIsText] = useState(parsed === null);
  const [tree, setTree] = useState<Group>(parsed && parsed.items.length > 0 ? parsed : begun(info));
  const [typed, setTyped] = useState(text);
  const fields = useFilterFields(dataset, info);
  const columns = useMemo(() => new Set(info.field.map(({ name }) => name)), [info]);

  function switchMode(): void {
    if (isText) {
      const read = parseFilter(typed);
      if (!read) return;
      setTree(read.items.length > 0 ? read : begun(info));
    } else setTyped(write(complete(tree), columns));
    setIsText(!isText);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    change({ filter: isText ? typed.trim() : write(complete(tree), columns) });
  }

  const cannotShow = isText && parseFilter(typed) === null;
  return (
    <form className="filter-panel" aria-label={T.filter} onSubmit={submit}>
      {isText ? (
        <textarea className="input mono" aria-label={T.filterText} rows={3} value={typed} onChange={(event) => setTyped(event.target.value)} spellCheck={false} />
      ) : (
        <GroupForm group={tree} fields={fields} onChange={setTree} />
      )}
      <div className="actions">
        <Button tone="primary" type="submit">{T.apply}</Button>
        <Button onClick={switchMode} disabled={cannotShow}>{isText ? T.filterAsForm : T.filterAsText}</Button>
        {text && <Button tone="ghost" onClick={() => { change({ filter: null }); setTree(begun(info)); setTyped(""); }}>{T.clear}</Button>}
        <Button tone="ghost" onClick={onClose}>{T.close}</Button>
        {cannotShow && <span className="dim">{T.filterNoForm}</span>}
      </div>
    </form>
  );
}

function begun(info: TableInfo): Group {
  const field = info.field.find(({ sealed, is_primary_key }) => !sealed && !is_primary_key) ?? info.field[0];
  return field ? { ...EMPTY, items: [{ kind: "condition", field: field.name, op: field.picklist || field.ref_table ? "=" : "CONTAINS", values: [""] }] } : EMPTY;
}

/** Leaves out conditions without a value. */
function complete(group: Group): Group {
  const items = group.items.flatMap((item): Node[] => {
    if (item.kind === "group") {
      const inner = complete(item);
      return inner.items.length > 0 ? [inner] : [];
    }
    return item.values.length > 0 && item.values.every((value) => value === "") ? [] : [item];
  });
  return { ...group, items };
}

/** The columns of the table and of the tables it references. */
function useFilterFields(dataset: string, info: TableInfo): Map<string, Field> {
  const parents = info.related.filter(({ type }) => type === "belongs_to").slice(0, MAX_PARENTS);
  const infos = useQueries({ queries: parents.map(({ ref_table }) => tableInfo(dataset, ref_table)) });
  const fields = new Map(info.field.filter(({ sealed }) => !sealed).map((field) => [field.name, field]));
  parents.forEach(({ name }, index) => {
    for (const field of infos[index]?.data?.field ?? []) if (!field.sealed) fields.set(`${name}.${field.name}`, field);
  });
  return fields;
}
