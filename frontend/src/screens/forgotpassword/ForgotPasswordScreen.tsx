/** Asks for a link that sets a new password. */
import { Anchor, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Link } from "react-router";
import { toast } from "../../../shared/toasts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useForgot } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n";
import { isBlank, isEmail } from "../../lib/validate";

export function ForgotPasswordScreen() {
  const forgot = useForgot();
  const form = useForm({
    initialValues: { email: "" },
    validate: {
      email: (text) => (isBlank(text) ? t("field.emailMissing") : isEmail(text) ? null : t("field.emailInvalid")),
    },
  });
  const send = ({ email }: typeof form.values) =>
    forgot.mutate(email.trim().toLowerCase(), { onSuccess: () => toast(t("forgot.sent")) });
  const isSent = forgot.isSuccess;

  return (
    <AuthForm
      title={t("forgot.title")}
      lead={!isSent && t("forgot.lead")}
      alert={forgot.isError ? reasonOf(forgot.error) : null}
      onSubmit={form.onSubmit(send)}
      foot={
        <Anchor component={Link} to="/login">{t("forgot.back")}</Anchor>
      }
    >
      {isSent && <Banner tone="accent">{t("forgot.sentTo", { email: forgot.variables })}</Banner>}
      <TextInput label={t("field.email")} {...EMAIL_INPUT} autoComplete="username" autoFocus {...form.getInputProps("email")} />
      <BusyButton type="submit" size="md" variant={isSent ? "default" : "filled"} busy={forgot.isPending}>
        {t("forgot.submit")}
      </BusyButton>
    </AuthForm>
  );
}

function reasonOf(error: unknown): string {
  const isTrouble = error instanceof ApiError && (error.status === 429 || error.status === 0);
  return isTrouble ? explain(error) : t("session.invalid");
}

export { ForgotPasswordScreen as Component };
