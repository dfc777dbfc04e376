/** A filter that is on or off: a button that stays pressed, or one that opens its choices.

 `pressed`, `onChange`
 `opens`     it is the target of a popover, which adds the rest
 `children`  its name
*/
import { Check, ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import classes from "./FilterChip.module.css";

interface Props extends Omit<ComponentProps<"button">, "onChange" | "className"> {
  pressed: boolean;
  onChange?: (on: boolean) => void;
  opens?: boolean;
}

export function FilterChip({ pressed, onChange, opens = false, children, ...props }: Props) {
  return (
    <button type="button" onClick={() => onChange?.(!pressed)} {...props} className={classes.chip} {...(opens ? { "data-pressed": pressed } : { "aria-pressed": pressed })}>
      {pressed && <Check size={14} strokeWidth={1.75} aria-hidden="true" />}
      {children}
      {opens && <ChevronDown size={14} strokeWidth={1.75} aria-hidden="true" />}
    </button>
  );
}
