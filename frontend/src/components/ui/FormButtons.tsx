/** The end of a form in a dialog: a button that closes it, and one that sends it. */
import { Button, Group } from "@mantine/core";
import type { ComponentProps } from "react";
import { t } from "../../lib/i18n";
import { BusyButton } from "./BusyButton";

export function FormButtons({ onClose, ...submit }: ComponentProps<typeof BusyButton> & { onClose: () => void }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {t("cancel")}
      </Button>
      <BusyButton type="submit" {...submit} />
    </Group>
  );
}
