/** The skeleton of a table.

 `columns`  the columns of the table, whose heads are known before its rows
 `ticks`    whether its rows can be selected
 `faces`    whether they begin with a picture
*/
import { Box, Skeleton } from "@mantine/core";
import type { CSSProperties } from "react";
import type { Column } from "./DataTable";
import classes from "./TableSkeleton.module.css";

type Head = Pick<Column<never>, "key" | "head" | "align">;

export interface Shape {
  lines?: number;
  columns?: readonly Head[];
  ticks?: boolean;
  faces?: boolean;
}

const UNKNOWN: readonly Head[] = ["1", "2", "3"].map((key) => ({ key, head: "" }));
/** Varying widths, like those of names and addresses. */
const WIDTHS = ["64%", "48%", "72%", "56%"];

export function TableSkeleton({ label, lines = 6, columns = UNKNOWN, ticks = false, faces = false }: Shape & { label: string }) {
  const style = { "--columns": columns.length } as CSSProperties;
  return (
    <div className={classes.card} role="status" aria-label={label} style={style}>
      <Box h="var(--head)" bg="var(--sunken)" c="dimmed" fz="xs" fw="var(--fw-500)" lh="xs" className={classes.head} aria-hidden="true">
        {ticks && <Skeleton animate={false} height={20} width={20} flex="none" bdrs="var(--r-badge)" />}
        <div className={classes.cells}>
          {columns.map(({ key, head, align }) => (
            <span key={key} data-align={align}>
              {head}
            </span>
          ))}
        </div>
      </Box>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={classes.line}>
          {ticks && <Skeleton height={20} width={20} flex="none" bdrs="var(--r-badge)" />}
          <div className={classes.cells}>
            {columns.map(({ key, align }, column) => (
              <span key={key} data-align={align}>
                {faces && column === 0 && <Skeleton circle height={24} width={24} flex="none" className={classes.face} />}
                <Skeleton height={12} width={align === "end" ? 32 : WIDTHS[(line + column) % WIDTHS.length]!} />
                {column === 0 && <Skeleton height={12} width={WIDTHS[(line + 2) % WIDTHS.length]!} className={classes.second} />}
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
