/** Pays for one add-on: the spinner, the toast at the end, and the redirect to the dashboard. */
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { toast, toastWithAction } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { isDeclined, payAddon } from "../../api/addons";
import { useAccountStale } from "../../api/billing";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { t } from "../../lib/i18n.dashboard";

const SPINNER_MS = 5000;
const HOME = "/dashboard/main/dashboardmain";

/** Takes a function that returns the form's token. With a token, the spinner clears after five seconds; the button
 stays disabled. */
export function usePayment(planid: number, token: () => Promise<string>) {
  const { clientid } = useAccount();
  const done = usePaymentDone(planid);
  const [spinning, setSpinning] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const pay = useMutation({
    mutationFn: async () => {
      setSpinning(true);
      const tokenid = await token();
      timer.current = window.setTimeout(() => setSpinning(false), SPINNER_MS);
      return payAddon(clientid, planid, tokenid);
    },
    onSettled: () => {
      clearTimeout(timer.current);
      setSpinning(false);
    },
    onSuccess: (paid) => (paid ? done.paid() : undefined),
    onError: (error) => void done.declined(error),
  });
  // If the bank declines, a toast appears and the dashboard opens; other errors appear next to the card.
  const problem = pay.isError && !isDeclined(pay.error) ? explain(pay.error) : null;
  return { pay, spinning, problem };
}

/** Runs after a payment, whatever its outcome. */
export function usePaymentDone(planid?: number) {
  const go = useNavigate();
  const stale = useAccountStale();
  return {
    paid: async (bought = planid) => {
      toast(t("addons.paid"));
      await stale();
      await go(HOME, { replace: true, state: { bought } });
    },
    /** Whether the bank declined. */
    declined: (error: unknown): boolean => {
      if (!isDeclined(error)) return false;
      toastWithAction(t("addons.failed"), t("addons.anotherCard"), () => void go("/dashboard/creditaddons", { state: { planid } }), "bad");
      void go(HOME, { replace: true });
      return true;
    },
  };
}
