/** Completes a payment after the bank's page has returned here. True while its state is being checked. */
import { useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { payAddon } from "../../api/addons";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { t } from "../../lib/i18n.dashboard";
import { bankLeft } from "../../stores/bankvisit";
import { usePaymentDone } from "./usePayment";

export function useBankReturn(): boolean {
  const [params] = useSearchParams();
  const { clientid } = useAccount();
  const go = useNavigate();
  const done = usePaymentDone();
  const intent = params.get("payment_intent");
  const rejected = params.get("redirect_status") === "failed";
  const started = useRef(false);
  const bought = useRef<number | undefined>(undefined);

  const { mutate } = useMutation({
    mutationFn: async (tokenid: string) => {
      const planid = bankLeft();
      bought.current = planid ?? undefined;
      if (rejected) throw new ApiError(402, "", 402, { reason: "card_refused", scope: "resource" });
      // Without the add-on there is nothing to check; the provider's event will grant the credits.
      return planid === null ? null : payAddon(clientid, planid, tokenid);
    },
    onSuccess: async (paid) => {
      if (paid === null) toast(t("addons.processing"), "plain");
      if (paid === null) await go("/dashboard/main/dashboardmain", { replace: true });
      if (paid) await done.paid(bought.current);
    },
    onError: async (error) => {
      if (done.declined(error)) return;
      toast(explain(error), "bad");
      await go("/dashboard/creditaddons", { replace: true });
    },
  });

  useEffect(() => {
    if (!intent || started.current) return;
    started.current = true;
    mutate(intent);
  }, [intent, mutate]);
  return intent !== null;
}
