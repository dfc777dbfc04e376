/** A check box of a table: one element instead of Mantine's eight, because a list has one in every row. */
import classes from "./Tick.module.css";

interface Props {
  label: string | undefined;
  checked: boolean;
  /** Some, but not all, of its rows are ticked. */
  mixed?: boolean;
  disabled?: boolean;
  /** Whether Shift was pressed. */
  onChange: (ranges: boolean) => void;
}

export function Tick({ label, checked, mixed = false, disabled, onChange }: Props) {
  return (
    <input
      type="checkbox"
      className={classes.tick}
      ref={(input) => {
        if (input) input.indeterminate = mixed;
      }}
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onChange={({ nativeEvent }) => onChange((nativeEvent as MouseEvent).shiftKey === true)}
    />
  );
}
