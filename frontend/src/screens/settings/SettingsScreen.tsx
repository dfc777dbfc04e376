/** The frame of the settings. In wide windows the sidebar holds their menu; in narrow ones it opens above the page. */
import { Box, Menu } from "@mantine/core";
import { ChevronDown } from "lucide-react";
import { NavLink, Outlet, useLocation } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { BackLink } from "../../components/BackLink";
import { t } from "../../lib/i18n.dashboard";
import { PAGES } from "./pages";
import classes from "./Settings.module.css";

export function SettingsScreen() {
  const owns = isOwner(useAccount());
  const { pathname } = useLocation();
  const pages = PAGES.filter((page) => owns || !page.ownerOnly);
  const current = pages.find(({ path }) => pathname.endsWith(`/${path}`));

  return (
    <>
      <div className={classes.narrow}>
        <BackLink to="/dashboard/main/dashboardmain">{t("settings.back")}</BackLink>
        <nav aria-label={t("menu.settings")}>
          <Menu position="bottom-start" width="target" offset={4} withinPortal={false}>
            <Menu.Target>
              <button type="button" className={classes.current}>
                {current && <current.icon size={16} strokeWidth={1.75} aria-hidden="true" />}
                <span>
                  <Box component="span" c="dimmed" fw="var(--fw-400)" className={classes.where}>{t("menu.settings")}</Box> {current && t(current.text)}
                </span>
                <ChevronDown size={16} strokeWidth={1.75} aria-hidden="true" />
              </button>
            </Menu.Target>
            <Menu.Dropdown className={classes.menu}>
              {pages.map(({ path, text, icon: Icon, group }) => [
                group && <Menu.Label key={group}>{t(group)}</Menu.Label>,
                <Menu.Item
                  key={path}
                  component={NavLink}
                  to={path}
                  className={classes.item}
                  leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
                >
                  {t(text)}
                </Menu.Item>,
              ])}
            </Menu.Dropdown>
          </Menu>
        </nav>
      </div>
      <Outlet />
    </>
  );
}

export { SettingsScreen as Component };
