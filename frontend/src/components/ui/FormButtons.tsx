/** The end of a form in a dialog: a button that closes it, and one that sends it. */
import { Button, Group } from "@mantine/core";
import type { ComponentProps } from "react";
import { t } from "../../lib/i18n";
import { BusyButton } from "./BusyButton";

/** The look of a button that destroys something. */
export const DANGER = { variant: "subtle", color: "red" } as const;

export function FormButtons({ onClose, danger, ...submit }: ComponentProps<typeof BusyButton> & { onClose: () => void; danger?: boolean }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {t("cancel")}
      </Button>
      <BusyButton type="submit" {...(danger && DANGER)} {...submit} />
    </Group>
  );
}
