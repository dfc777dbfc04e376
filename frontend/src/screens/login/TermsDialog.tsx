/** Asks to accept the terms before a sign-in with a provider creates a new account. */
import { useForm } from "@mantine/form";
import { TermsCheckbox } from "../../components/TermsCheckbox";
import { FormButtons } from "../../components/ui/FormButtons";
import { Dialog } from "../../components/ui/Dialog";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n";

interface Props {
  /** The email address of the new account. */
  email: string;
  busy: boolean;
  onAccept: () => void;
  onClose: () => void;
}

export default function TermsDialog({ email, busy, onAccept, onClose }: Props) {
  const form = useForm({
    initialValues: { terms: false },
    validate: { terms: (accepted) => (accepted ? null : t("register.acceptTerms")) },
  });
  return (
    <Dialog opened onClose={onClose} title={t("login.termsTitle")}>
      <Form onSubmit={form.onSubmit(onAccept)}>
        <p>{t("login.termsText", { email })}</p>
        <TermsCheckbox data-autofocus {...form.getInputProps("terms", { type: "checkbox" })} />
        <FormButtons onClose={onClose} busy={busy}>
          {t("login.termsSubmit")}
        </FormButtons>
      </Form>
    </Dialog>
  );
}
