/** The foot of a card form: the recipient of the card, Cancel and Pay. */
import { Button, Group } from "@mantine/core";
import { Lock } from "lucide-react";
import type { Plan } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import classes from "./CreditAddons.module.css";

interface Props {
  plan: Plan;
  /** Shows the spinner. */
  spinning: boolean;
  /** A payment is in progress. */
  busy: boolean;
  onClose: () => void;
}

export function FormFoot({ plan, spinning, busy, onClose }: Props) {
  return (
    <>
      <p className={classes.safe}>
        <Lock size={14} aria-hidden="true" />
        {t("addons.safe")}
      </p>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("cancel")}
        </Button>
        <BusyButton type="submit" busy={spinning} disabled={busy}>
          {t("addons.pay", { price: dollars(plan.price) })}
        </BusyButton>
      </Group>
    </>
  );
}
