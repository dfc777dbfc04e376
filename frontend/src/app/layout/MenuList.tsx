/** The main menu as a list: in the sidebar, and in the compact menu of small screens. */
import { Group } from "@mantine/core";
import { NavLink } from "react-router";
import { Building2, LayoutDashboard, ListChecks, type LucideIcon, Search, Users, UsersRound } from "lucide-react";
import { t, type TextKey } from "../../lib/i18n.dashboard";
import classes from "./MenuList.module.css";
import { MenuTip } from "./MenuTip";
import { isComing } from "../../api/config";

interface Props {
  /** Show icons only, with the text as a tooltip. */
  collapsed?: boolean;
  onOpen?: () => void;
}

export function MenuList({ collapsed = false, onOpen }: Props) {
  const entries = menu().map((item) => ({ ...item, isOpen: !isAnnounced(item) }));
  return (
    <nav aria-label={t("menu.label")} className={classes.nav}>
      <ul className={classes.list}>
        {entries.map(({ to, text, icon: Icon, isOpen }) => (
          <li key={to}>
            <MenuTip label={isOpen ? t(text) : `${t(text)} · ${t("comingSoon")}`} collapsed={collapsed}>
              {isOpen ? (
                <NavLink to={to} className={classes.item} onClick={onOpen}>
                  <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                  <span className={classes.text}>{t(text)}</span>
                </NavLink>
              ) : (
                <span className={classes.item} data-soon>
                  <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                  <Group component="span" justify="space-between" gap="var(--s-1)" wrap="nowrap" miw={0} flex={1}>
                    <span className={classes.text}>{t(text)}</span> <span className={classes.soon}>{t("comingSoon")}</span>
                  </Group>
                </span>
              )}
            </MenuTip>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The entries of the main menu, in order. */
interface MenuItem {
  to: string;
  text: TextKey;
  icon: LucideIcon;
}

const MENU: MenuItem[] = [
  { to: "/dashboard/main/dashboardmain", text: "menu.dashboard", icon: LayoutDashboard },
  { to: "/dashboard/main/search", text: "menu.search", icon: Search },
  { to: "/dashboard/main/mycontacts", text: "menu.mycontacts", icon: Users },
  { to: "/dashboard/main/peoplesearch", text: "menu.peoplesearch", icon: UsersRound },
  { to: "/dashboard/main/companysearch", text: "menu.companysearch", icon: Building2 },
  { to: "/dashboard/main/lists", text: "menu.lists", icon: ListChecks },
];

/** The entries of this server: there are no lists without the search that fills them. */
const menu = (): MenuItem[] => MENU.filter(({ text }) => text !== "menu.lists" || !isComing("peoplesearch"));

/** Whether an entry only shows "Coming soon". */
const isAnnounced = ({ to }: MenuItem): boolean => isComing(to.slice(to.lastIndexOf("/") + 1));
