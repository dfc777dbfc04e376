/** The frame of the settings. In wide windows the sidebar holds their menu; in narrow ones it is a strip above the page. */
import { NavLink, Outlet } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { BackLink } from "../../components/BackLink";
import { t } from "../../lib/i18n.dashboard";
import { PAGES } from "./pages";
import classes from "./Settings.module.css";

export function SettingsScreen() {
  const owns = isOwner(useAccount());
  return (
    <>
      <div className={classes.narrow}>
        <BackLink to="/dashboard/main/dashboardmain">{t("settings.back")}</BackLink>
        <nav className={classes.menu} aria-label={t("menu.settings")}>
          {PAGES.filter((page) => owns || !page.ownerOnly).map(({ path, text, icon: Icon }) => (
            <NavLink key={path} to={path} className={classes.item}>
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              {t(text)}
            </NavLink>
          ))}
        </nav>
      </div>
      <Outlet />
    </>
  );
}

export { SettingsScreen as Component };
