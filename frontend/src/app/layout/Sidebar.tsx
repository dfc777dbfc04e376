/** The left side of the dashboard: where one can go, and how many credits are left. */
import { Link } from "react-router";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.dashboard";
import { CreditList } from "./CreditList";
import { MenuList } from "./MenuList";
import classes from "./Sidebar.module.css";

export function Sidebar() {
  return (
    <aside className={classes.sidebar} aria-label={t("menu.sidebar")}>
      <Link to="/dashboard/main/dashboardmain" className={classes.brand}>
        <Logo name={config().brandname} badge={t("beta")} light />
      </Link>
      <MenuList />
      <CreditList />
    </aside>
  );
}
