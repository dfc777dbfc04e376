/** Column, operator and value of one condition; the column's type determines the operators and inputs. */
import type { Field } from "../api/types";
import { isArray, isBoolean, isDate, isJson, isNumber, isText, isTime } from "../lib/format";
import { T } from "../texts";
import { type Condition, OPS, type Op, arity } from "./tree";

interface Props {
  condition: Condition;
  fields: Map<string, Field>;
  onChange: (condition: Condition) => void;
}

const COMPARED: Op[] = ["=", "!=", ">", ">=", "<", "<=", "BETWEEN", "IN", "NOT IN", "IS NULL", "IS NOT NULL"];
const TEXT: Op[] = ["CONTAINS", "NOT CONTAINS", "STARTS WITH", "ENDS WITH", "ILIKE", "LIKE", "MATCHES"];

export function opsOf(field: Field | undefined): readonly Op[] {
  if (!field) return OPS;
  if (isBoolean(field)) return ["IS TRUE", "IS FALSE", "IS NULL", "IS NOT NULL"];
  if (isArray(field)) return ["CONTAINS", "OVERLAPS", "IS NULL", "IS NOT NULL"];
  if (isJson(field)) return ["CONTAINS", "=", "IS NULL", "IS NOT NULL"];
  if (field.picklist) return ["=", "!=", "IN", "NOT IN", "IS NULL", "IS NOT NULL"];
  if (isText(field)) return ["CONTAINS", "=", "!=", ...TEXT.slice(1), "IN", "NOT IN", ">", "<", "IS NULL", "IS NOT NULL"];
  return COMPARED;
}

export function ConditionForm({ condition, fields, onChange }: Props) {
  const field = fields.get(condition.field);
  const ops = opsOf(field);
  // Keeps the operator of a filter written as text among the options.
  const offered = ops.includes(condition.op) ? ops : [condition.op, ...ops];

  function choose(name: string): void {
    const [op = "="] = opsOf(fields.get(name));
    onChange({ kind: "condition", field: name, op, values: arity(op) === 0 ? [] : [""] });
  }

  function operate(op: Op): void {
    const count = arity(op);
    const values = count === 0 ? [] : count === 2 ? [condition.values[0] ?? "", condition.values[1] ?? ""] : count === 1 ? [condition.values[0] ?? ""] : condition.values;
    onChange({ ...condition, op, values: count === -1 && values.length === 0 ? [""] : values });
  }

  return (
    <div className="condition">
      <select className="input small" aria-label={T.column} value={condition.field} onChange={(event) => choose(event.target.value)}>
        {!fields.has(condition.field) && <option>{condition.field}</option>}
        {[...fields.keys()].map((name) => <option key={name}>{name}</option>)}
      </select>
      <select className="input small" aria-label={T.operator} value={condition.op} onChange={(event) => operate(event.target.value as Op)}>
        {offered.map((op) => <option key={op} value={op}>{op.toLowerCase()}</option>)}
      </select>
      <Values condition={condition} field={field} onChange={(values) => onChange({ ...condition, values })} />
    </div>
  );
}

function Values({ condition: { op, values }, field, onChange }: { condition: Condition; field: Field | undefined; onChange: (values: string[]) => void }) {
  const count = arity(op);
  if (count === 0) return null;
  if (count === -1) {
    return <input className="input small grow" aria-label={T.value} placeholder={T.listHint} value={values.join(",")} onChange={(event) => onChange(event.target.value.split(","))} />;
  }
  if (count === 1 && field?.picklist) {
    return (
      <select className="input small grow" aria-label={T.value} value={values[0] ?? ""} onChange={(event) => onChange([event.target.value])}>
        <option value="">–</option>
        {field.picklist.map((value) => <option key={value}>{value}</option>)}
      </select>
    );
  }
  const type = field && isDate(field) ? "date" : "text";
  const mode = field && isNumber(field) ? "decimal" : undefined;
  const hint = field && isTime(field) ? "2026-01-31 12:00" : undefined;
  const labels = count === 2 ? [T.from, T.to] : [T.value];
  return labels.map((label, index) => (
    <input
      key={label}
      className="input small grow"
      aria-label={label}
      type={type}
      inputMode={mode}
      placeholder={hint}
      value={values[index] ?? ""}
      onChange={(event) => onChange(labels.map((_, at) => (at === index ? event.target.value : (values[at] ?? ""))))}
    />
  ));
}
