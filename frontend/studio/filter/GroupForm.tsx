/** A group of conditions, which may contain further groups. */
import { Plus, Trash2 } from "lucide-react";
import type { Field } from "../api/types";
import { T } from "../texts";
import { Button } from "../ui";
import { ConditionForm } from "./ConditionForm";
import type { Group, Join, Node } from "./tree";

interface Props {
  group: Group;
  fields: Map<string, Field>;
  onChange: (group: Group) => void;
  onRemove?: () => void;
}

export function GroupForm({ group, fields, onChange, onRemove }: Props) {
  const put = (index: number, item: Node): void => onChange({ ...group, items: group.items.map((old, at) => (at === index ? item : old)) });
  const drop = (index: number): void => onChange({ ...group, items: group.items.filter((_, at) => at !== index) });
  const add = (item: Node): void => onChange({ ...group, items: [...group.items, item] });
  const [first = ""] = fields.keys();
  const fresh: Node = { kind: "condition", field: first, op: "=", values: [""] };
  return (
    <fieldset className="filter-group">
      <legend className="visually-hidden">{T.filter}</legend>
      {(group.items.length > 1 || onRemove) && (
        <select className="input small join" aria-label={T.join} value={group.join} onChange={(event) => onChange({ ...group, join: event.target.value as Join })}>
          <option value="AND">{T.all}</option>
          <option value="OR">{T.any}</option>
        </select>
      )}
      {group.items.map((item, index) => (
        // A condition is identified by its position.
        <div className="filter-item" key={index}>
          {item.kind === "group" ? (
            <GroupForm group={item} fields={fields} onChange={(next) => put(index, next)} onRemove={() => drop(index)} />
          ) : (
            <>
              <ConditionForm condition={item} fields={fields} onChange={(next) => put(index, next)} />
              <Button tone="ghost" icon={Trash2} aria-label={T.removeCondition} onClick={() => drop(index)} />
            </>
          )}
        </div>
      ))}
      <div className="actions">
        <Button tone="ghost" icon={Plus} onClick={() => add(fresh)}>{T.addCondition}</Button>
        {!onRemove && <Button tone="ghost" icon={Plus} onClick={() => add({ kind: "group", join: group.join === "AND" ? "OR" : "AND", items: [fresh] })}>{T.addGroup}</Button>}
        {onRemove && <Button tone="ghost" icon={Trash2} onClick={onRemove}>{T.removeGroup}</Button>}
      </div>
    </fieldset>
  );
}
