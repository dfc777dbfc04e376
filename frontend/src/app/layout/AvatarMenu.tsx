/** The menu of the signed-in user, with sign out. */
import { Menu, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { LogOut, UserRound } from "lucide-react";
import { useRef } from "react";
import { Link, useNavigate } from "react-router";
import { isOwner, signOut, useAccount } from "../../api/account";
import { NameAvatar } from "../../components/NameAvatar";
import { Confirm } from "../../components/ui/Confirm";
import { t } from "../../lib/i18n.dashboard";
import { sessionEnded } from "../../stores/session";
import classes from "./AvatarMenu.module.css";

export function AvatarMenu() {
  const me = useAccount();
  const navigate = useNavigate();
  const target = useRef<HTMLButtonElement>(null);
  const [asking, { open, close }] = useDisclosure();
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: () => {
      sessionEnded();
      void navigate("/login", { replace: true });
    },
  });

  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton ref={target} className={classes.target} aria-label={t("menu.account")}>
            <NameAvatar name={me.name} src={me.avatar} size={36} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <div className={classes.who}>
            <strong>{me.name}</strong>
            <span>{me.email}</span>
            <span>{isOwner(me) ? t("menu.admin") : t("menu.member")}</span>
          </div>
          <Menu.Divider />
          <Menu.Item component={Link} to="/dashboard/settings/myaccount" leftSection={<UserRound size={16} aria-hidden="true" />}>
            {t("menu.settings")}
          </Menu.Item>
          <Menu.Item leftSection={<LogOut size={16} aria-hidden="true" />} onClick={open}>
            {t("menu.signOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        onClose={close}
        focusAfter={target}
        title={t("menu.signOutTitle")}
        text={t("menu.signOutText")}
        confirm={t("menu.signOut")}
        cancel={t("cancel")}
        busy={leave.isPending}
        onConfirm={() => leave.mutate()}
      />
    </>
  );
}
