/** The button of the compact menu on small screens. */
import { Burger } from "@mantine/core";
import { Suspense, lazy, useEffect, useState } from "react";
import { t } from "../../lib/i18n.dashboard";
import classes from "./CompactMenu.module.css";

const load = () => import("./CompactDrawer");
const CompactDrawer = lazy(load);

/** Widths that show the button (CompactMenu.module.css), and when the screen's own requests are over. */
const SHOWN = "(width < 960px)";
const IDLE_MS = 2000;

type State = "never" | "open" | "closed";

export function CompactMenu() {
  const [state, setState] = useState<State>("never");
  // Ahead of the first use, which may come when the server cannot be reached.
  useEffect(() => {
    if (!window.matchMedia(SHOWN).matches) return;
    const timer = setTimeout(() => void load().catch(() => undefined), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <Burger color="var(--text-1)" opened={state === "open"} onClick={() => setState("open")} size="sm" aria-label={t("menu.open")} className={classes.burger} />
      <Suspense>{state !== "never" && <CompactDrawer opened={state === "open"} close={() => setState("closed")} />}</Suspense>
    </>
  );
}
