/** The shape of a table that is still on its way. */
import { Skeleton } from "@mantine/core";
import classes from "./TableSkeleton.module.css";

export function TableSkeleton({ label, lines = 8 }: { label: string; lines?: number }) {
  return (
    <div className={classes.card} role="status" aria-label={label}>
      <div className={classes.head} />
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={classes.line}>
          <Skeleton circle height={24} width={24} />
          <Skeleton height={12} width="22%" />
          <Skeleton height={12} width="16%" />
          <Skeleton height={12} width="26%" />
        </div>
      ))}
    </div>
  );
}
