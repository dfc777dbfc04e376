/** A dialog that asks before something happens. */
import { Button, Group, Text } from "@mantine/core";
import type { ReactNode, RefObject } from "react";
import { t } from "../../lib/i18n";
import { BusyButton } from "./BusyButton";
import classes from "./Confirm.module.css";
import { Dialog } from "./Dialog";
import { DANGER } from "./FormButtons";

interface Props {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  text: ReactNode;
  confirm: string;
  cancel?: string;
  busy?: boolean;
  danger?: boolean;
  /** The element to focus afterwards if the opener no longer exists, such as a menu item. */
  focusAfter?: RefObject<HTMLElement | null>;
}

export function Confirm({ opened, onClose, onConfirm, title, text, confirm, cancel = t("cancel"), busy, danger, focusAfter }: Props) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={title}
      withCloseButton={false}
      size="sm"
      classNames={{ title: classes.title }}
      focusAfter={focusAfter}
    >
      <Text component="div" inherit c="dimmed" mb="lg">{text}</Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <BusyButton {...(danger && DANGER)} busy={busy} onClick={onConfirm} data-autofocus>
          {confirm}
        </BusyButton>
      </Group>
    </Dialog>
  );
}
