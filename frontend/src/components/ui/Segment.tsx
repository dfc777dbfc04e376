/** A choice of two to four values, all visible; a group of radio buttons.

 `label`            its name
 `options`          `{ value, label }`
 `value`, `onChange`
*/
import { useId } from "react";
import classes from "./Segment.module.css";

interface Props<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

export function Segment<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.segment}>
      {options.map((option) => (
        <label key={option.value} className={classes.option} data-selected={option.value === value || undefined}>
          <input type="radio" name={name} value={option.value} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
