/** A new e-mail address in two steps: the address, then the code that was mailed to it. */
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { ApiError, NotBusiness } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { useUpdateEmail } from "../../api/profile";
import { runScript } from "../../api/scripts";
import { requireBusinessEmail } from "../../api/signup";
import type { Account, Proof } from "../../api/types";
import { ProofFields, isOfProof, useProof } from "../proof/Proof";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { Form } from "../../components/ui/Form";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n.dashboard";
import { isBlank, isEmail } from "../../lib/validate";

interface Props {
  opened: boolean;
  onClose: () => void;
  me: Account;
  /** The parameters of the mailed link; with them, the dialog starts at the code. */
  linked: { newemail: string; code: string };
}

export function ChangeEmail({ opened, onClose, me, linked }: Props) {
  const [pending, setPending] = useState(linked.code ? linked.newemail : null);
  const close = () => {
    setPending(null);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t("account.changeEmail")}>
      {pending === null ? (
        <AddressStep me={me} onSent={setPending} />
      ) : (
        <CodeStep me={me} newemail={pending} code={pending === linked.newemail ? linked.code : ""} onDone={close} />
      )}
    </Dialog>
  );
}

function AddressStep({ me, onSent }: { me: Account; onSent: (newemail: string) => void }) {
  const form = useForm({
    initialValues: { newemail: "" },
    validate: {
      newemail: (text) => {
        if (isBlank(text)) return t("field.emailMissing");
        if (text.trim().toLowerCase() === me.email.toLowerCase()) return t("email.same");
        return isEmail(text) ? null : t("field.emailInvalid");
      },
    },
  });
  const send = useMutation({
    mutationFn: async ({ newemail, ...proof }: { newemail: string } & Proof) => {
      await requireBusinessEmail(newemail);
      await runScript("emailcodeverification", { oldemail: me.email, newemail, ...proof });
      return newemail;
    },
    onSuccess: (newemail) => {
      toast(t("email.sent"));
      onSent(newemail);
    },
    onError: (error) => {
      if (!isOfProof(error)) form.setFieldError("newemail", addressError(error));
    },
  });
  const proof = useProof(send.error, send.reset);
  const ask = ({ newemail }: typeof form.values) => {
    const taken = proof.take();
    if (taken) send.mutate({ newemail: newemail.trim().toLowerCase(), ...taken });
  };
  return (
    <Form onSubmit={form.onSubmit(ask)}>
      <TextInput label={t("email.new")} {...EMAIL_INPUT} autoComplete="email" data-autofocus {...form.getInputProps("newemail")} />
      <ProofFields proof={proof} />
      <BusyButton type="submit" busy={send.isPending}>
        {t("email.sendCode")}
      </BusyButton>
    </Form>
  );
}

function CodeStep({ me, newemail, code, onDone }: { me: Account; newemail: string; code: string; onDone: () => void }) {
  const update = useUpdateEmail(() => {
    toast(t("email.changed"));
    onDone();
  });
  const form = useForm({
    initialValues: { newemail, code },
    validate: {
      newemail: (text) => (isEmail(text) ? null : t("email.invalidOrCode")),
      code: (text) => (isBlank(text) ? t("email.codeMissing") : null),
    },
  });
  const save = (values: typeof form.values) =>
    update.mutate(
      { newemail: values.newemail.trim().toLowerCase(), code: values.code.trim(), afid: me.afid },
      { onError: (error) => form.setFieldError("code", codeError(error)) },
    );
  return (
    <Form onSubmit={form.onSubmit(save)}>
      <TextInput label={t("email.new")} readOnly {...form.getInputProps("newemail")} />
      <TextInput label={t("email.code")} autoComplete="one-time-code" data-autofocus {...form.getInputProps("code")} />
      <BusyButton type="submit" busy={update.isPending}>
        {t("email.verify")}
      </BusyButton>
    </Form>
  );
}

function addressError(error: unknown): string {
  if (error instanceof NotBusiness) return t("seats.businessOnly");
  if (error instanceof ApiError && error.status === 409) return t("email.taken");
  return explain(error);
}

function codeError(error: unknown): string {
  if (error instanceof ApiError && error.reason === "code_mismatch") return t("email.mismatch");
  if (error instanceof ApiError && error.status === 409) return t("email.taken");
  if (error instanceof ApiError && [0, 429].includes(error.status)) return explain(error);
  return t("email.cannotUpdate");
}
