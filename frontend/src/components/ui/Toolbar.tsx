/** The row of controls above a list.

 `label`     its name for a screen reader
 `children`  search and filters, which wrap
 `end`       buttons at the end
*/
import type { ReactNode } from "react";
import classes from "./Toolbar.module.css";

export function Toolbar({ label, children, end }: { label: string; children: ReactNode; end?: ReactNode }) {
  return (
    <div className={classes.bar} role="group" aria-label={label}>
      <div className={classes.start}>{children}</div>
      {end && <div className={classes.end}>{end}</div>}
    </div>
  );
}
