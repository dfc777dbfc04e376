/** The foot of a card form: the recipient of the card, Cancel and Pay. */
import { Group } from "@mantine/core";
import { Lock } from "lucide-react";
import type { Plan } from "../../api/types";
import { FormButtons } from "../../components/ui/FormButtons";
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
      <Group component="p" align="flex-start" wrap="nowrap" gap="xs" c="dimmed" fz="sm" lh="sm" className={classes.safe}>
        <Lock size={14} aria-hidden="true" />
        {t("addons.safe")}
      </Group>
      <FormButtons onClose={onClose} busy={spinning} disabled={busy}>
        {t("addons.pay", { price: dollars(plan.price) })}
      </FormButtons>
    </>
  );
}
