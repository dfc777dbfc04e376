/** A skeleton of the next screen, shown while the account or the screen's code loads. */
import { Skeleton } from "@mantine/core";
import type { JSX } from "react";
import { useLocation } from "react-router";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n";
import classes from "./ScreenSkeleton.module.css";

type Shape = "stats" | "ask" | "form" | "plans" | "list";

const SHAPES: readonly [screens: RegExp, shape: Shape][] = [
  [/\/(dashboardmain|dashboard)$/, "stats"],
  [/\/(search|bulklookup)$/, "ask"],
  [/\/(myaccount|password|twostep|privacy|creditaddons|scheduledemo|\w+policy|termsofuse)$/, "form"],
  [/\/(upgradeplan|plans)$/, "plans"],
];

const shapeOf = (pathname: string): Shape => SHAPES.find(([screens]) => screens.test(pathname.replace(/\/$/, "")))?.[1] ?? "list";

const DRAWN: Record<Shape, () => JSX.Element> = { stats: Stats, ask: Ask, form: Form, plans: Plans, list: List };

export function ScreenSkeleton() {
  const shape = shapeOf(useLocation().pathname);
  const Drawn = DRAWN[shape];
  return (
    <div role="status" aria-label={t("loading")}>
      <div className={classes.screen} data-shape={shape} aria-hidden="true">
        <div className={classes.head}>
          <Skeleton width={240} height={24} />
          <Skeleton width={320} height={12} />
        </div>
        <Drawn />
      </div>
    </div>
  );
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

function Stats() {
  return (
    <>
      <div className={classes.columns}>
        {times(4).map((card) => (
          <div key={card} className={`${classes.card} ${classes.stat}`}>
            <Skeleton width="40%" height={12} />
            <Skeleton width="60%" height={32} />
            <Skeleton width="32%" height={12} className={classes.last} />
          </div>
        ))}
      </div>
      <div className={classes.panes}>
        <div className={classes.card}>
          <Skeleton width="32%" height={16} />
          <div className={classes.chart} />
        </div>
        <div className={classes.card}>
          <Skeleton width="40%" height={16} />
          {times(6).map((line) => (
            <div key={line} className={classes.line}>
              <Skeleton circle width={32} height={32} className={classes.face} />
              <Skeleton width="60%" height={12} />
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

function Ask() {
  return (
    <>
      <Skeleton height={48} />
      <Controls widths={[184, 176, 208]} />
    </>
  );
}

function List() {
  return (
    <>
      <Controls widths={[240, 96, 112, 88]} />
      <TableSkeleton label={t("loading")} lines={8} faces />
    </>
  );
}

function Form() {
  return (
    <div className={classes.card}>
      {times(3).map((field) => (
        <div key={field} className={classes.head}>
          <Skeleton width="24%" height={12} />
          <Skeleton height={40} />
        </div>
      ))}
    </div>
  );
}

function Plans() {
  return (
    <div className={classes.columns}>
      {times(4).map((plan) => (
        <div key={plan} className={classes.card}>
          <Skeleton width="40%" height={16} />
          <Skeleton width="56%" height={32} />
          <Skeleton height={40} />
          {times(5).map((line) => (
            <Skeleton key={line} width={line % 2 ? "64%" : "80%"} height={12} />
          ))}
        </div>
      ))}
    </div>
  );
}

function Controls({ widths }: { widths: readonly number[] }) {
  return (
    <div className={classes.controls}>
      {widths.map((width) => (
        <Skeleton key={width} width={width} height={32} />
      ))}
    </div>
  );
}
