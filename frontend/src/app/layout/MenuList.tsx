/** The main menu as a list: in the sidebar, and in the compact menu of small screens. */
import { NavLink } from "react-router";
import { t } from "../../lib/i18n.dashboard";
import { isAnnounced, menu } from "./menu";
import classes from "./MenuList.module.css";
import { MenuTip } from "./MenuTip";

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
                  <span className={classes.later}>
                    <span className={classes.text}>{t(text)}</span> <span className={classes.soon}>{t("comingSoon")}</span>
                  </span>
                </span>
              )}
            </MenuTip>
          </li>
        ))}
      </ul>
    </nav>
  );
}
