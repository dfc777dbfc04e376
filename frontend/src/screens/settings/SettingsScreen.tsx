/** The frame of the settings. In wide windows the sidebar holds their menu; in narrow ones it is a strip above the
 page. */
import { useEffect, useRef } from "react";
import { NavLink, Outlet, useLocation } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { BackLink } from "../../components/BackLink";
import { t } from "../../lib/i18n.dashboard";
import { PAGES } from "./pages";
import classes from "./Settings.module.css";

export function SettingsScreen() {
  const owns = isOwner(useAccount());
  const menu = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  // The strip is wider than a phone, so the open page is scrolled into view.
  useEffect(() => {
    const current = menu.current?.querySelector<HTMLElement>(`a[href="${pathname}"]`);
    if (current && menu.current) menu.current.scrollLeft = current.offsetLeft - (menu.current.clientWidth - current.offsetWidth) / 2;
  }, [pathname]);

  return (
    <>
      <div className={classes.narrow}>
        <BackLink to="/dashboard/main/dashboardmain">{t("settings.back")}</BackLink>
        <nav ref={menu} className={classes.menu} aria-label={t("menu.settings")}>
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
