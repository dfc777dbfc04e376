/** The pages of the desk with the count of waiting work: in the sidebar, and in the drawer of small screens. */
import { Box } from "@mantine/core";
import { NavLink, useMatch } from "react-router";
import { useWork } from "../../api/desk";
import menu from "../../app/layout/MenuList.module.css";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import { type DeskPage, PAGES } from "./pages";

export function DeskMenu({ onOpen }: { onOpen?: () => void }) {
  return (
    <nav aria-label={t("nav.label")} className={menu.nav}>
      <ul className={menu.list}>
        {PAGES.map((page) => (
          <li key={page.to}>
            <Entry page={page} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Entry({ page: { to, text, icon: Icon, work: kind, outside }, onOpen }: { page: DeskPage; onOpen: (() => void) | undefined }) {
  const work = useWork();
  const ofClient = useMatch("/desk/client/:clientid") !== null;
  const waiting = kind && work[kind];
  const content = (
    <>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
      <span className={menu.text}>{t(text)}</span>
      {Boolean(waiting) && <Box component="span" ms="auto" px="xs" bdrs="var(--r-pill)" bg="var(--lime)" c="var(--on-lime)" fz="xs" lh="sm">{numberText(waiting!)}</Box>}
    </>
  );
  if (outside) {
    return (
      <a href={to} className={menu.item}>
        {content}
      </a>
    );
  }
  return (
    <NavLink to={to} end={to === "/desk" && !ofClient} className={menu.item!} onClick={onOpen}>
      {content}
    </NavLink>
  );
}
