/** The menu of the signed-in user: settings, colour scheme, sign out. */
import { Menu, Skeleton, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Check, LogOut, Monitor, Moon, Sun, UserRound } from "lucide-react";
import { Suspense, lazy, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { isOwner, signOut, useMaybeAccount } from "../../api/account";
import { useMutation } from "../../api/mutation";
import { NameAvatar } from "../../components/NameAvatar";
import { t } from "../../lib/i18n.dashboard";
import { sessionEnded } from "../../stores/session";
import { settleToasts } from "../../stores/toasts";
import classes from "./AvatarMenu.module.css";

const Confirm = lazy(async () => ({ default: (await import("../../components/ui/Confirm")).Confirm }));

const AVATAR = 32;
const SCHEMES = [
  ["auto", Monitor],
  ["light", Sun],
  ["dark", Moon],
] as const;

export function AvatarMenu() {
  const me = useMaybeAccount();
  const navigate = useNavigate();
  const target = useRef<HTMLButtonElement>(null);
  const [asking, { open, close }] = useDisclosure();
  // Loaded on demand, and kept while it closes.
  const wasAsked = useWas(asking);
  const leave = useMutation({
    mutationFn: async () => {
      await settleToasts();
      await signOut();
    },
    onSettled: () => {
      sessionEnded();
      void navigate("/login", { replace: true });
    },
  });

  return (
    <>
      <Menu position="bottom-end" width={248} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton ref={target} className={classes.target} aria-label={t("menu.account")}>
            {me ? <NameAvatar name={me.name} src={me.avatar} size={AVATAR} drawn /> : <Skeleton circle width={AVATAR} height={AVATAR} />}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {me && (
            <Menu.Label className={classes.who}>
              <strong>{me.name}</strong>
              <span>{me.email}</span>
              <span>{isOwner(me) ? t("menu.admin") : t("menu.member")}</span>
            </Menu.Label>
          )}
          <Menu.Divider />
          <Menu.Item component={Link} to="/dashboard/settings/myaccount" leftSection={<UserRound size={16} strokeWidth={1.75} aria-hidden="true" />}>
            {t("menu.settings")}
          </Menu.Item>
          <Menu.Divider />
          <SchemeChoice />
          <Menu.Divider />
          <Menu.Item leftSection={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={open}>
            {t("menu.signOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {wasAsked && (
          <Confirm
            opened={asking}
            onClose={close}
            focusAfter={target}
            title={t("menu.signOutTitle")}
            text={me?.haspassword === 0 ? t("menu.signOutProvider") : t("menu.signOutText")}
            confirm={t("menu.signOut")}
            cancel={t("cancel")}
            busy={leave.isPending}
            onConfirm={() => leave.mutate()}
          />
        )}
      </Suspense>
    </>
  );
}

/** Whether a condition has held at any time. */
function useWas(now: boolean): boolean {
  const [was, setWas] = useState(now);
  if (now && !was) setWas(true);
  return was;
}

function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div role="group" aria-label={t("theme.label")}>
      <Menu.Label aria-hidden="true">{t("theme.label")}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
        {SCHEMES.map(([scheme, Icon]) => (
          <Menu.RadioItem key={scheme} value={scheme} checkIcon={<Check size={12} aria-hidden="true" />}>
            <span className={classes.scheme}>
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              {t(`theme.${scheme}`)}
            </span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </div>
  );
}
