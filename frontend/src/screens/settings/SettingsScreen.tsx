/** The frame of the settings: the way back, the pages that this role may open, and the page itself. */
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
      <BackLink to="/dashboard/main/dashboardmain">{t("settings.back")}</BackLink>
      <h1 className={classes.title}>{t("menu.settings")}</h1>
      <div className={classes.panes}>
        <nav className={classes.menu} aria-label={t("menu.settings")}>
          {PAGES.filter((page) => owns || !page.ownerOnly).map(({ path, text, icon: Icon }) => (
            <NavLink key={path} to={path} className={classes.item}>
              <Icon size={17} aria-hidden="true" />
              {t(text)}
            </NavLink>
          ))}
        </nav>
        <div className={classes.page}>
          <Outlet />
        </div>
      </div>
    </>
  );
}

export { SettingsScreen as Component };
