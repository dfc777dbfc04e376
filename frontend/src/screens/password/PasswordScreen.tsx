/** How the user signs in: the password, two-step sign-in, identities at providers, and the sessions. */
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { toast } from "../../../shared/toasts";
import { account, changePassword, useAccount } from "../../api/account";
import { explain, fieldErrors } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { missingOf } from "../../api/proof";
import { useForgot } from "../../api/signup";
import { CodeInput } from "../../components/CodeInput";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { FormAlert } from "../../components/ui/FormAlert";
import { Page } from "../../components/ui/Page";
import { PasswordHint } from "../../components/ui/PasswordHint";
import { SecretInput } from "../../components/ui/SecretInput";
import { t } from "../../lib/i18n.dashboard";
import { passwordError } from "../../lib/passworderror";
import { Sessions } from "../sessions/Sessions";
import { TwoStep } from "../twostep/TwoStep";
import { Identities } from "./Identities";
import classes from "./Password.module.css";

const EMPTY = { old_password: "", new_password: "", confirm_password: "", code: "" };

function newPasswordError(text: string): string | null {
  if (!text) return t("field.required");
  return passwordError(text, t("field.passwordOver"));
}

export function PasswordScreen() {
  const { haspassword, mustchangepassword, email } = useAccount();
  return (
    <Page title={t("settings.password")} lead={t("password.lead")} width="form">
      {haspassword === 0 ? <SetPassword email={email} /> : <ChangePassword />}
      {!mustchangepassword && (
        <>
          <TwoStep />
          <Identities />
          <Sessions />
        </>
      )}
    </Page>
  );
}

/** For sign-in with a provider: there is no old password, and a mailed link sets the first one. */
function SetPassword({ email }: { email: string }) {
  const forgot = useForgot();
  const send = () =>
    forgot.mutate(email, { onSuccess: () => toast(t("forgot.sent")), onError: (error) => toast(explain(error), "bad") });
  return (
    <Card>
      <div className={classes.form}>
        <p className={classes.wide}>{t("password.none", { email })}</p>
        {forgot.isSuccess && (
          <div className={classes.wide}>
            <Banner tone="accent">{t("forgot.sentTo", { email })}</Banner>
          </div>
        )}
        <BusyButton busy={forgot.isPending} variant={forgot.isSuccess ? "default" : "filled"} className={classes.submit} onClick={send}>
          {t("forgot.submit")}
        </BusyButton>
      </div>
    </Card>
  );
}

function ChangePassword() {
  const { mustchangepassword, hasmfa, email } = useAccount();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      old_password: (text) => (text ? null : t("field.required")),
      new_password: newPasswordError,
      confirm_password: (text, { new_password }) =>
        text ? (text === new_password ? null : t("field.passwordDiffers")) : t("field.required"),
      code: (text) => (hasmfa && !text.trim() ? t("field.required") : null),
    },
  });
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.reset();
      toast(t("reset.done"));
      queries.setQueryData(account.queryKey, (old) => old && { ...old, mustchangepassword: 0 });
      void queries.invalidateQueries({ queryKey: account.queryKey });
    },
    onError: (error) => {
      form.setErrors(missingOf(error).includes("code") ? { code: explain(error) } : fieldErrors(error));
      toast(explain(error), "bad");
    },
  });

  return (
    <Card title={t("password.title")} text={t("password.text")}>
      <form className={classes.form} onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
        {Boolean(mustchangepassword) && (
          <div className={classes.wide}>
            <FormAlert text={t("password.must")} />
          </div>
        )}
        {/* Tells password managers which account the password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <SecretInput label={t("password.old")} autoComplete="current-password" {...form.getInputProps("old_password")} />
        <SecretInput label={t("password.new")} autoComplete="new-password" {...form.getInputProps("new_password")} />
        <PasswordHint password={form.values.new_password} />
        <SecretInput label={t("field.confirmPassword")} autoComplete="new-password" {...form.getInputProps("confirm_password")} />
        {Boolean(hasmfa) && <CodeInput recovery label={t("password.code")} description={t("password.codeText")} {...form.getInputProps("code")} />}
        <BusyButton type="submit" busy={change.isPending} className={classes.submit}>
          {t("password.submit")}
        </BusyButton>
      </form>
    </Card>
  );
}

export { PasswordScreen as Component };
