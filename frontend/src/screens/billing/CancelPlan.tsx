/** Cancels the plan at the end of its period, after a confirmation. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { toast } from "../../../shared/toasts";
import { useAccountStale, useCancelPlan } from "../../api/billing";
import type { Subscription } from "../../api/types";
import { Confirm } from "../../components/ui/Confirm";
import { t } from "../../lib/i18n.dashboard";
import { endOf } from "../../domain/subscription";
import classes from "./Billing.module.css";

const REFETCH_MS = 2000;

export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const [asking, { open, close }] = useDisclosure();
  const cancel = useCancelPlan();
  const stale = useAccountStale();

  const act = () =>
    cancel.mutate(subscription.subscriptionid, {
      onSuccess: () => {
        toast(t("billing.cancelled"));
        setTimeout(() => void stale(), REFETCH_MS);
      },
      onError: () => toast(t("somethingWrong"), "bad"),
      onSettled: close,
    });
  return (
    <>
      <Button variant="subtle" color="red" className={classes.cancel} onClick={open}>
        {t("billing.cancel")}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={t("billing.cancelTitle")}
        text={t("billing.cancelText", { date: endOf(subscription) })}
        confirm={t("billing.cancel")}
        cancel={t("billing.keep")}
        danger
        busy={cancel.isPending}
        onConfirm={act}
      />
    </>
  );
}
