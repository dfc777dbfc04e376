/** The entries of the avatar menu. Fetched when the pointer or the focus comes near the avatar. */
import { Menu, Text } from "@mantine/core";
import { Coins, Keyboard, LogOut, UserRound } from "lucide-react";
import { Link } from "react-router";
import { isOwner, subscriptionOf } from "../../api/account";
import type { Account } from "../../api/types";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import classes from "./AvatarMenu.module.css";
import { creditLines } from "./credits";
import { SchemeChoice } from "./SchemeChoice";

interface Props {
  me: Account | undefined;
  onShortcuts: () => void;
  onSignOut: () => void;
}

export default function AvatarItems({ me, onShortcuts, onSignOut }: Props) {
  return (
    <>
      {me && (
        <Menu.Label className={classes.who}>
          <strong>{me.name}</strong>
          <span>{me.email}</span>
          <span>{isOwner(me) ? t("menu.admin") : t("menu.member")}</span>
        </Menu.Label>
      )}
      <Menu.Divider />
      {me && <PlanAndCredits me={me} />}
      <Menu.Item component={Link} to="/dashboard/settings/myaccount" leftSection={<UserRound size={16} strokeWidth={1.75} aria-hidden="true" />}>
        {t("menu.settings")}
      </Menu.Item>
      <Menu.Item leftSection={<Keyboard size={16} strokeWidth={1.75} aria-hidden="true" />} rightSection={<kbd aria-hidden="true">?</kbd>} onClick={onShortcuts}>
        {t("palette.shortcuts")}
      </Menu.Item>
      <Menu.Divider />
      <SchemeChoice />
      <Menu.Divider />
      <Menu.Item leftSection={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={onSignOut}>
        {t("menu.signOut")}
      </Menu.Item>
    </>
  );
}

/** The plan with the credits of all kinds; for the owner, a link to billing. */
function PlanAndCredits({ me }: { me: Account }) {
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid?.name;
  const left = creditLines(me).map((line) => numberText(line.left)).join(" · ");
  const text = (
    <>
      {plan && planText(plan)}
      <Text span c="dimmed" size="xs" display="block">{t("menu.creditsLeft", { number: left })}</Text>
    </>
  );
  const icon = <Coins size={16} strokeWidth={1.75} aria-hidden="true" />;
  if (!isOwner(me)) {
    return (
      <Menu.Label className={classes.plan}>
        {icon}
        <span>{text}</span>
      </Menu.Label>
    );
  }
  return (
    <Menu.Item component={Link} to="/dashboard/settings/billing" leftSection={icon}>{text}</Menu.Item>
  );
}
