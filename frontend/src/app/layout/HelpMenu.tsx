/** The help button: shortcuts, the documentation of the API, the legal texts. */
import { ActionIcon, Menu } from "@mantine/core";
import { BookOpen, CircleQuestionMark, Keyboard, ShieldCheck } from "lucide-react";
import { Link } from "react-router";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Header.module.css";

export function HelpMenu({ onShortcuts }: { onShortcuts: () => void }) {
  return (
    <Menu position="bottom-end" width={220} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("menu.help")} className={classes.wide}>
          <CircleQuestionMark size={20} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Keyboard size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={onShortcuts}>
          {t("palette.shortcuts")}
        </Menu.Item>
        <Menu.Item component="a" href="/api/docs" leftSection={<BookOpen size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("menu.apiDocs")}
        </Menu.Item>
        <Menu.Item component={Link} to="/dashboard/privacypolicy" leftSection={<ShieldCheck size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("legal.privacy")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
