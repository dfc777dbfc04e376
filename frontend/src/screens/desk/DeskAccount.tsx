/** The menu of the signed-in member of staff: colour scheme, language, shortcuts, guide, sign out. */
import { Menu, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { BookOpen, Check, Keyboard, LogOut } from "lucide-react";
import { account } from "../../api/account";
import { SchemeChoice } from "../../app/layout/SchemeChoice";
import { useSignOut } from "../../app/layout/useSignOut";
import classes from "../../app/layout/AvatarMenu.module.css";
import { NameAvatar } from "../../components/NameAvatar";
import { t as common } from "../../lib/i18n.dashboard";
import { t } from "../../lib/i18n.desk";
import { LANGUAGES, type Language, language, showIn } from "../../lib/language";
import { useSession } from "../../stores/session";
import { GUIDE } from "./useDeskCommands";

const AVATAR = 32;

export function DeskAccount({ onShortcuts }: { onShortcuts: () => void }) {
  const email = useSession()?.emailid ?? "";
  const { data: me } = useQuery({ ...account, staleTime: Infinity, refetchInterval: false, refetchOnWindowFocus: false });
  const name = me?.name || email.replace(/@.*/, "");
  const leave = useSignOut();
  return (
    <Menu position="bottom-end" width={248} withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.target} aria-label={common("menu.account")}>
          <NameAvatar name={name} size={AVATAR} drawn />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className={classes.who}>
          <strong>{name}</strong>
          <span>{email}</span>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component="a" href={GUIDE} leftSection={<BookOpen size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("nav.guide")}
        </Menu.Item>
        <Menu.Item leftSection={<Keyboard size={16} strokeWidth={1.75} aria-hidden="true" />} rightSection={<kbd aria-hidden="true">?</kbd>} onClick={onShortcuts}>
          {common("palette.shortcuts")}
        </Menu.Item>
        <Menu.Divider />
        <SchemeChoice />
        <Menu.Divider />
        <LanguageChoice />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => leave.mutate()}>
          {common("menu.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function LanguageChoice() {
  return (
    <Menu.RadioGroup value={language().name} onChange={(name) => showIn(name as Language)} aria-label={common("language")}>
      {Object.entries(LANGUAGES).map(([name, label]) => (
        <Menu.RadioItem key={name} value={name} lang={name} checkIcon={<Check size={16} strokeWidth={1.75} aria-hidden="true" />} classNames={{ itemIndicator: classes.tick!, itemLabel: classes.first! }}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
