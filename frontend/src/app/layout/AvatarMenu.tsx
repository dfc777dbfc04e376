/** The menu of the signed-in user: plan, settings, shortcuts, colour scheme, sign out. */
import { Menu, Skeleton, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, lazy, useRef, useState } from "react";
import { useMaybeAccount } from "../../api/account";
import { NameAvatar } from "../../components/NameAvatar";
import { t } from "../../lib/i18n.dashboard";
import classes from "./AvatarMenu.module.css";
import { useSignOut } from "./useSignOut";

const loadItems = () => import("./AvatarItems");
const AvatarItems = lazy(loadItems);
const Confirm = lazy(async () => ({ default: (await import("../../components/ui/Confirm")).Confirm }));

const AVATAR = 32;

export function AvatarMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const me = useMaybeAccount();
  const target = useRef<HTMLButtonElement>(null);
  const [asking, { open, close }] = useDisclosure();
  // Loaded on demand, and kept while it closes.
  const wasAsked = useWas(asking);
  const leave = useSignOut();

  return (
    <>
      <Menu position="bottom-end" width={248} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton ref={target} className={classes.target} aria-label={t("menu.account")} onPointerEnter={() => void loadItems()} onFocus={() => void loadItems()}>
            {me ? <NameAvatar name={me.name} src={me.avatar} size={AVATAR} drawn /> : <Skeleton circle width={AVATAR} height={AVATAR} />}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Suspense>
            <AvatarItems me={me} onShortcuts={onShortcuts} onSignOut={open} />
          </Suspense>
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
            busy={leave.isPending}
            onConfirm={() => leave.mutate()}
          />
        )}
      </Suspense>
    </>
  );
}

/** Whether a condition has ever been true. */
function useWas(now: boolean): boolean {
  const [was, setWas] = useState(now);
  if (now && !was) setWas(true);
  return was;
}
