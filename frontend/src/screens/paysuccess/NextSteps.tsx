/** Links to the first uses of a new plan. */
import { Box } from "@mantine/core";
import { ChevronRight, ListPlus, Search, UserPlus } from "lucide-react";
import { Link } from "react-router";
import { t } from "../../lib/i18n.dashboard";
import classes from "./PaySuccess.module.css";

const STEPS = [
  { to: "/dashboard/main/search", icon: Search, text: "home.stepSearch" },
  { to: "/dashboard/main/bulklookup", icon: ListPlus, text: "menu.bulk" },
  { to: "/dashboard/settings/manageseats", icon: UserPlus, text: "home.stepInvite" },
] as const;

export function NextSteps() {
  return (
    <>
      <Box component="h2" c="dimmed" fz="sm" fw="var(--fw-500)" lts={0} lh="sm">{t("pay.next")}</Box>
      <ul className={classes.steps}>
        {STEPS.map(({ to, icon: Icon, text }) => (
          <li key={to}>
            <Link to={to}>
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              <span>{t(text)}</span>
              <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
