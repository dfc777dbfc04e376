/** The button of the compact menu on small screens. */
import { Burger } from "@mantine/core";
import { Suspense, lazy, useState } from "react";
import { t } from "../../lib/i18n.dashboard";
import classes from "./CompactMenu.module.css";

const CompactDrawer = lazy(() => import("./CompactDrawer"));

type State = "never" | "open" | "closed";

export function CompactMenu() {
  const [state, setState] = useState<State>("never");
  return (
    <>
      <Burger color="var(--text-1)" opened={state === "open"} onClick={() => setState("open")} size="sm" aria-label={t("menu.open")} className={classes.burger} />
      <Suspense>{state !== "never" && <CompactDrawer opened={state === "open"} close={() => setState("closed")} />}</Suspense>
    </>
  );
}
