/** A filter that is on or off: a button that stays pressed.

 `pressed`, `onChange`
 `children`  its name
*/
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./FilterChip.module.css";

export function FilterChip({ pressed, onChange, children }: { pressed: boolean; onChange: (on: boolean) => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.chip} aria-pressed={pressed} onClick={() => onChange(!pressed)}>
      {pressed && <Check size={14} strokeWidth={1.75} aria-hidden="true" />}
      {children}
    </button>
  );
}
