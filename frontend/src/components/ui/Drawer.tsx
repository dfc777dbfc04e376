/** A panel of 480 px at the end of the window, or full-screen on a phone. Import it lazily.

 `opened`, `onClose`  Escape and a press outside close it; the focus returns to the opener
 `beside`             on a wide window the page stays usable next to it, and only Escape and the button close it
 `title`              heading; `subtitle` a line below it; `lead` an avatar before it
 `actions`            icon buttons next to the close button
 `foot`               stays at the bottom while the body scrolls
*/
import { Box, Drawer as MantineDrawer, Group, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { t } from "../../lib/i18n";
import classes from "./Drawer.module.css";

interface Props {
  opened: boolean;
  onClose: () => void;
  beside?: boolean;
  title: ReactNode;
  subtitle?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  foot?: ReactNode;
  children: ReactNode;
}

const WIDE = "(width >= 1280px)";

export function Drawer({ opened, onClose, beside = false, title, subtitle, lead, actions, foot, children }: Props) {
  // Mantine does not know the opener of a drawer that is already open when first mounted, as with lazy loading.
  useEffect(() => {
    const opener = document.activeElement;
    if (!opened || !(opener instanceof HTMLElement)) return;
    return () => void setTimeout(() => opener.isConnected && opener.focus({ preventScroll: true }), 10);
  }, [opened]);

  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const modal = !(beside && isWide);

  return (
    <MantineDrawer.Root
      opened={opened}
      onClose={onClose}
      position="right"
      size="var(--drawer-w)"
      lockScroll={modal}
      closeOnClickOutside={modal}
      classNames={{ content: classes.content }}
    >
      {modal && <MantineDrawer.Overlay />}
      <MantineDrawer.Content data-drawer data-beside={modal ? undefined : true}>
        <Group align="flex-start" wrap="nowrap" gap="sm" className={classes.head}>
          {lead}
          <Box flex={1} miw={0}>
            <MantineDrawer.Title className={classes.title}>{title}</MantineDrawer.Title>
            {subtitle && <Text component="div" c="dimmed" size="sm">{subtitle}</Text>}
          </Box>
          {actions}
          <MantineDrawer.CloseButton aria-label={t("close")} />
        </Group>
        <div className={classes.body}>{children}</div>
        {foot && <Group align="stretch" gap="xs" className={classes.foot}>{foot}</Group>}
      </MantineDrawer.Content>
    </MantineDrawer.Root>
  );
}
