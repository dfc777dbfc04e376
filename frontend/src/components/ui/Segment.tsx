/** A choice between two to four values, all in view; a group of radio buttons.

 `label`            its name
 `options`          `{ value, label }`
 `value`, `onChange`
*/
import { SegmentedControl } from "@mantine/core";

interface Props<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

export function Segment<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      data={options.map((option) => ({ ...option }))}
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
    />
  );
}
