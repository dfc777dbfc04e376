/** Target of the mailed reset link: sets a new password. E-mail and code come from the address and cannot be changed.

 An expired or truncated link offers to mail a new one. */
import { Anchor, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { toast } from "../../../shared/toasts";
import { ApiError } from "../../api/errors";
import { useReset } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { PasswordHint } from "../../components/ui/PasswordHint";
import { SecretInput } from "../../components/ui/SecretInput";
import { t } from "../../lib/i18n";
import { passwordError } from "../../lib/passworderror";
import classes from "./ResetPassword.module.css";

export function ResetPasswordScreen() {
  const [params] = useSearchParams();
  const email = params.get("email") ?? "";
  const code = params.get("code") ?? "";
  const navigate = useNavigate();
  const reset = useReset();
  const [incomplete, setIncomplete] = useState(false);
  const isDead = !email || !code || isExpired(reset.error);
  const form = useForm({
    initialValues: { password: "", confirm_password: "" },
    validate: {
      password: (text) => passwordError(text, t("field.passwordEight")),
      confirm_password: (text, { password }) => (text === password ? null : t("field.passwordsDiffer")),
    },
  });
  const save = ({ password }: typeof form.values) => {
    setIncomplete(!email || !code);
    if (!email || !code) return;
    reset.mutate(
      { email, code, new_password: password },
      {
        onSuccess: () => {
          toast(t("reset.done"));
          void navigate("/login", { replace: true });
        },
      },
    );
  };

  return (
    <AuthForm
      title={t("reset.title")}
      lead={t("reset.lead")}
      alert={incomplete ? t("field.required") : reset.isError ? reasonOf(reset.error) : null}
      onSubmit={form.onSubmit(save)}
      foot={
        <Anchor component={Link} to="/login">{t("forgot.back")}</Anchor>
      }
    >
      <TextInput label={t("field.email")} value={email} readOnly autoComplete="username" />
      <TextInput label={t("reset.code")} value={code} readOnly variant="unstyled" classNames={{ input: classes.code }} />
      <SecretInput label={t("field.password")} autoComplete="new-password" {...form.getInputProps("password")} />
      <PasswordHint password={form.values.password} />
      <SecretInput label={t("field.confirmPassword")} autoComplete="new-password" {...form.getInputProps("confirm_password")} />
      <BusyButton type="submit" size="md" busy={reset.isPending}>
        {t("reset.submit")}
      </BusyButton>
      {isDead && <ButtonLink to="/forgotpassword" role="button" variant="default" size="md">{t("reset.again")}</ButtonLink>}
    </AuthForm>
  );
}

const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 404;

const reasonOf = (error: unknown): string => (isExpired(error) ? t("reset.expired") : t("somethingWrong"));

export { ResetPasswordScreen as Component };
