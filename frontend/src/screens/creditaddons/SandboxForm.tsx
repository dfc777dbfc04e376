/** The card form of the test mode. The card goes from here straight to the sandbox. */
import { Box, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useRef } from "react";
import { sandboxToken } from "../../api/sandboxcard";
import type { Plan } from "../../api/types";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { expiryOf, groupedExpiry, groupedNumber, isCardNumber, isPast } from "../../domain/card";
import { t } from "../../lib/i18n.dashboard";
import { digitsOf, isBlank } from "../../lib/validate";
import classes from "./CreditAddons.module.css";
import { FormFoot } from "./FormFoot";
import { usePayment } from "./usePayment";

export function SandboxForm({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const form = useForm({
    initialValues: { number: "", expiry: "", cvc: "" },
    validate: { number: numberError, expiry: expiryError, cvc: (text) => (/^\d{3,4}$/.test(text) ? null : t("addons.cvcInvalid")) },
  });
  // The same card keeps its token, so a retry after a lost response is the same payment.
  const token = useRef<{ of: string; id: string } | null>(null);
  const { pay, spinning, problem } = usePayment(plan.planid, async () => {
    const of = JSON.stringify(form.getValues());
    if (token.current?.of !== of) token.current = { of, id: await sandboxToken(form.getValues()) };
    return token.current.id;
  });
  const submit = form.onSubmit(() => pay.mutate());

  return (
    <Form onSubmit={submit}>
      <FormAlert text={problem} />
      <TextInput
        label={t("addons.card")}
        placeholder="4242 4242 4242 4242"
        inputMode="numeric"
        autoComplete="cc-number"
        data-autofocus
        {...form.getInputProps("number")}
        onChange={(event) => form.setFieldValue("number", groupedNumber(event.currentTarget.value))}
      />
      <div className={classes.pair}>
        <TextInput
          label={t("addons.expiry")}
          placeholder="MM / YY"
          inputMode="numeric"
          autoComplete="cc-exp"
          {...form.getInputProps("expiry")}
          onChange={(event) => form.setFieldValue("expiry", groupedExpiry(event.currentTarget.value))}
        />
        <TextInput
          label={t("addons.cvc")}
          placeholder="123"
          inputMode="numeric"
          autoComplete="cc-csc"
          {...form.getInputProps("cvc")}
          onChange={(event) => form.setFieldValue("cvc", digitsOf(event.currentTarget.value).slice(0, 4))}
        />
      </div>
      <Box component="p" px="sm" py="xs" bdrs="var(--r-control)" bg="var(--warn-soft)" c="var(--warn)" fz="sm" lh="sm">{t("addons.testMode")}</Box>
      <FormFoot plan={plan} spinning={spinning} busy={pay.isPending} onClose={onClose} />
    </Form>
  );
}

function numberError(text: string): string | null {
  if (isBlank(text)) return t("addons.cardMissing");
  return isCardNumber(text) ? null : t("addons.cardInvalid");
}

function expiryError(text: string): string | null {
  const until = expiryOf(text);
  if (!until) return t("addons.expiryInvalid");
  return isPast(until) ? t("addons.expiryPast") : null;
}
