/** Stripe's own fields, in frames of Stripe: number, expiry and CVC never pass through our scripts. */
import { Box, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Stripe, StripeCardNumberElement } from "@stripe/stripe-js";
import { useEffect, useRef, useState } from "react";
import { beginAddon } from "../../api/addons";
import { CardError } from "../../api/carderror";
import { ApiError } from "../../api/errors";
import { loadStripe } from "../../api/stripejs";
import type { Plan } from "../../api/types";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.dashboard";
import classes from "./CreditAddons.module.css";
import { FormFoot } from "./FormFoot";
import { NoCardForm } from "./NoCardForm";
import { usePayment } from "./usePayment";

const FIELDS = [
  ["cardNumber", "addons.card"],
  ["cardExpiry", "addons.expiry"],
  ["cardCvc", "addons.cvc"],
] as const;
const LOOK = { base: { fontSize: "16px", color: "#17231e", fontFamily: "system-ui, sans-serif", "::placeholder": { color: "#66756d" } } };

interface Props {
  plan: Plan;
  onClose: () => void;
}

export function StripeForm(props: Props) {
  const script = useQuery({ queryKey: ["stripe.js"], queryFn: loadStripe, retry: false, staleTime: Infinity, structuralSharing: false });
  if (script.isFetching) return <Loader role="status" aria-label={t("loading")} />;
  if (script.isError) return <NoCardForm onClose={props.onClose} retry={() => void script.refetch()} />;
  return script.data && <Fields stripe={script.data} {...props} />;
}

function Fields({ stripe, plan, onClose }: Props & { stripe: Stripe }) {
  const [number, setNumber] = useState<StripeCardNumberElement | null>(null);
  const places = useRef<Record<string, HTMLDivElement | null>>({});
  const confirm = useConfirmed(stripe, number, plan.planid);
  const { pay, spinning, problem } = usePayment(plan.planid, confirm);

  useEffect(() => {
    const elements = stripe.elements();
    const made = FIELDS.map(([name]) => {
      const element = elements.create(name as "cardNumber", { style: LOOK });
      element.mount(places.current[name]!);
      return element;
    });
    setNumber(made[0]!);
    return () => made.forEach((element) => element.destroy());
  }, [stripe]);

  const submit = () => pay.isPending || pay.mutate();
  return (
    <Form onSubmit={submit}>
      <FormAlert text={problem} />
      {FIELDS.map(([name, label]) => (
        <div key={name}>
          <Box mb="var(--s-1)" fz="sm" fw="var(--fw-500)" lh="sm">{t(label)}</Box>
          <div
            className={classes.field}
            ref={(place) => {
              places.current[name] = place;
            }}
          />
        </div>
      ))}
      <FormFoot plan={plan} spinning={spinning} busy={pay.isPending} onClose={onClose} />
    </Form>
  );
}

/** Confirms one payment for as long as the form is open, so that a second try can never pay twice. */
function useConfirmed(stripe: Stripe, card: StripeCardNumberElement | null, planid: number) {
  const begun = useRef<Awaited<ReturnType<typeof beginAddon>> | null>(null);
  return async () => {
    if (!card) throw new ApiError(0, t("addons.formFailed"));
    begun.current ??= await beginAddon(planid);
    const { clientsecret, paymentintentid } = begun.current;
    const { error } = await stripe.confirmCardPayment(clientsecret, { payment_method: { card } });
    // The response was lost, but this payment has already succeeded.
    const went = error?.payment_intent && ["succeeded", "processing"].includes(error.payment_intent.status);
    if (error && !went) throw new CardError({ message: t("addons.failed"), ...error });
    return paymentintentid;
  };
}
