/** A dialog that asks before something happens. */
import { Button, Group, Modal } from "@mantine/core";
import type { ReactNode, RefObject } from "react";
import classes from "./Confirm.module.css";

interface Props {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  text: ReactNode;
  confirm: string;
  cancel: string;
  busy?: boolean;
  danger?: boolean;
  /** Where the focus goes afterwards, if what opened the dialog is gone by then: the item of a menu. */
  focusAfter?: RefObject<HTMLElement | null>;
}

export function Confirm({ opened, onClose, onConfirm, title, text, confirm, cancel, busy, danger, focusAfter }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      withCloseButton={false}
      size="sm"
      classNames={{ title: classes.title }}
      returnFocus={!focusAfter}
      onExitTransitionEnd={() => focusAfter?.current?.focus()}
    >
      <div className={classes.text}>{text}</div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button color={danger ? "red" : undefined} loading={busy} onClick={onConfirm} data-autofocus>
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}
