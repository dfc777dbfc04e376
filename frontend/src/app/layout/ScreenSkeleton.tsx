/** The shape of the screen that comes, while the account or its code is on its way. */
import { Skeleton } from "@mantine/core";
import { useLocation } from "react-router";
import { t } from "../../lib/i18n";
import classes from "./ScreenSkeleton.module.css";

type Shape = "stats" | "split" | "list" | "form";

const ROWS = [1, 2, 3, 4, 5, 6, 7, 8];

function shapeOf(pathname: string): Shape {
  if (pathname.endsWith("/dashboardmain") || pathname.endsWith("/dashboard")) return "stats";
  if (pathname.endsWith("/search")) return "split";
  if (/(mycontacts|manageseats|usage|billing|api)$/.test(pathname)) return "list";
  return "form";
}

export function ScreenSkeleton() {
  const shape = shapeOf(useLocation().pathname);
  return (
    <div className={classes.screen} role="status" aria-label={t("loading")}>
      <div className={classes.head}>
        <Skeleton width={240} height={24} />
        <Skeleton width={320} height={12} />
      </div>
      {shape === "stats" && (
        <div className={classes.stats}>
          {ROWS.slice(0, 4).map((row) => (
            <div key={row} className={classes.card}>
              <Skeleton width="40%" height={12} />
              <Skeleton width="60%" height={32} />
            </div>
          ))}
        </div>
      )}
      <div className={classes.card} data-shape={shape}>
        {(shape === "list" ? ROWS : ROWS.slice(0, 4)).map((row) => (
          <div key={row} className={classes.row}>
            {shape === "list" && <Skeleton circle width={24} height={24} />}
            <Skeleton width="22%" height={12} />
            <Skeleton width="34%" height={12} />
          </div>
        ))}
      </div>
    </div>
  );
}
