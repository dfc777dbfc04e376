/** The main menu as a list: in the sidebar, and in the compact menu of small screens. */
import { NavLink } from "react-router";
import { t } from "../../lib/i18n.dashboard";
import { LAST_OPEN, MENU } from "./menu";
import classes from "./MenuList.module.css";

export function MenuList({ onOpen }: { onOpen?: () => void }) {
  return (
    <nav aria-label={t("menu.label")}>
      <ul className={classes.list}>
        {MENU.map(({ to, text, icon: Icon }, index) => (
          <li key={to}>
            {index < LAST_OPEN ? (
              <NavLink to={to} className={classes.item} onClick={onOpen}>
                <Icon size={18} aria-hidden="true" />
                {t(text)}
              </NavLink>
            ) : (
              <span className={classes.item} data-soon>
                <Icon size={18} aria-hidden="true" />
                <span className={classes.text}>{t(text)}</span> <span className={classes.soon}>{t("comingSoon")}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
