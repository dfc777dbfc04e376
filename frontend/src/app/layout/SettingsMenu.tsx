/** The pages of the settings, which replace the main menu while one of them is open. */
import { Box } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import { Link, NavLink } from "react-router";
import { isOwner, useMaybeAccount } from "../../api/account";
import { t } from "../../lib/i18n.dashboard";
import { PAGES } from "../../screens/settings/pages";
import classes from "./MenuList.module.css";
import { MenuTip } from "./MenuTip";

export function SettingsMenu({ collapsed }: { collapsed: boolean }) {
  const me = useMaybeAccount();
  const owns = me !== undefined && isOwner(me);
  return (
    <nav aria-label={t("menu.settings")} className={`${classes.nav} ${classes.dense}`}>
      <ul className={classes.list}>
        <li>
          <MenuTip label={t("settings.back")} collapsed={collapsed}>
            <Link to="/dashboard/main/dashboardmain" className={classes.item}>
              <ArrowLeft size={20} strokeWidth={1.75} aria-hidden="true" />
              <span className={classes.text}>{t("settings.back")}</span>
            </Link>
          </MenuTip>
        </li>
        {PAGES.filter((page) => owns || !page.ownerOnly).map(({ path, text, icon: Icon, group }) => (
          <li key={path}>
            {group && !collapsed && <Box pt="sm" px="sm" pb="var(--s-1)" c="var(--on-sidebar-dim)" fz="xs" lh="xs">{t(group)}</Box>}
            <MenuTip label={t(text)} collapsed={collapsed}>
              <NavLink to={`/dashboard/settings/${path}`} className={classes.item}>
                <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={classes.text}>{t(text)}</span>
              </NavLink>
            </MenuTip>
          </li>
        ))}
      </ul>
    </nav>
  );
}
