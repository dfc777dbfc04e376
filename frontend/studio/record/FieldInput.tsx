/** One field of a record: shown by its type, and edited as the column allows. */
import { ArrowUpRight } from "lucide-react";
import type { Field, Json } from "../api/types";
import { Value } from "../grid/Cell";
import { change } from "../lib/address";
import { isArray, isBoolean, isDate, isJson, isNumber, isPostgis, isText, partOf, shown } from "../lib/format";
import { T } from "../texts";
import { Button } from "../ui";
import { ParentInput } from "./ParentInput";
import { Preview } from "./Preview";
import { placeOf } from "./place";

interface Props {
  dataset: string;
  table: string;
  field: Field;
  value: Json | undefined;
  text: string | null;
  isNull: boolean;
  isEditable: boolean;
  isChanged: boolean;
  isNew: boolean;
  error?: string;
  onChange: (text: string | null) => void;
}

const LONG = 60;

export function FieldInput(props: Props) {
  const { dataset, table, field, value, isEditable, isChanged, isNew, isNull, error, onChange } = props;
  if (isNew && !isEditable) return null;
  const id = `field-${field.name}`;
  const parent = field.ref_table && value !== null && value !== undefined && !isNew ? placeOf(field.ref_table, partOf(value, field)) : null;
  const notes = [field.db_type, field.ref_table ? `→ ${field.ref_table}` : "", field.sealed ? T.sealed : "", isNew && field.required ? T.required : "", isNew && field.has_default ? T.byDatabase : ""];
  return (
    <div className={`field ${isChanged ? "changed" : ""}`}>
      <div className="field-head">
        <label htmlFor={isEditable ? id : undefined} className="field-name">{field.name}</label>
        <span className="field-type">{notes.filter(Boolean).join(" · ")}</span>
      </div>
      <div className="field-value">
        {isEditable ? <Input {...props} id={id} /> : <div className="field-shown"><Value field={field} value={value} /></div>}
        {parent && <Button tone="ghost" icon={ArrowUpRight} aria-label={T.openRecord(`${field.ref_table} ${shown(value)}`)} onClick={() => change({ open: parent })} />}
        {isEditable && field.allow_null && !isNull && <Button className="null-button" aria-label={T.setNull(field.name)} onClick={() => onChange(null)}>{T.toNull}</Button>}
      </div>
      {!isNew && <Preview dataset={dataset} table={table} field={field} value={value} />}
      {field.description && <p className="field-hint">{field.description}</p>}
      {error && <p className="form-error" role="alert" id={`${id}-error`}>{error}</p>}
    </div>
  );
}

interface InputProps extends Pick<Props, "dataset" | "field" | "text" | "isNull" | "isNew" | "error" | "onChange"> {
  id: string;
  "aria-label"?: string;
}

/** The box for a value, by the type of its column. */
export function Input({ dataset, field, text, isNull, isNew, error, onChange, id, "aria-label": label }: InputProps) {
  const shared = {
    id,
    "aria-label": label,
    className: "input",
    value: text ?? "",
    placeholder: isNull ? T.null : "",
    "aria-invalid": error ? true : undefined,
    "aria-describedby": error ? `${id}-error` : undefined,
    maxLength: isText(field) && field.length ? field.length : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (isBoolean(field) || field.picklist) {
    const options = field.picklist ?? [T.true, T.false];
    const { maxLength: _, placeholder: __, ...rest } = shared;
    return (
      <select {...rest} onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}>
        {(field.allow_null || isNew) && <option value="">{field.allow_null ? T.null : ""}</option>}
        {options.map((option) => <option key={option}>{option}</option>)}
      </select>
    );
  }
  if (field.ref_table) return <ParentInput {...shared} placeholder={isNull ? T.null : T.nameOrKey} dataset={dataset} field={field} onChange={onChange} />;
  if (isJson(field) || isPostgis(field)) return <textarea {...shared} className="input mono" rows={Math.min(10, Math.max(2, (text ?? "").split("\n").length))} spellCheck={false} />;
  if (isText(field) && !field.length && ((text ?? "").length > LONG || (text ?? "").includes("\n"))) return <textarea {...shared} rows={4} />;
  if (isDate(field)) return <input {...shared} type="date" />;
  return <input {...shared} className={`input ${isArray(field) ? "mono" : ""}`} type="text" inputMode={isNumber(field) ? "decimal" : undefined} autoComplete="off" />;
}
