/** Sign-up with a business address. Leads to the second step, /tellusmore. */
import { Anchor, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Link, useNavigate } from "react-router";
import { ApiError, EmailTaken, NotBusiness } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { register, requireBusinessEmail, requireFreeEmail } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { TermsCheckbox } from "../../components/TermsCheckbox";
import { BusyButton } from "../../components/ui/BusyButton";
import { PasswordHint } from "../../components/ui/PasswordHint";
import { SecretInput } from "../../components/ui/SecretInput";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n";
import { passwordError } from "../../lib/passworderror";
import { isBlank, isEmail } from "../../lib/validate";
import { unverifiedMet } from "../../stores/unverified";
import classes from "../../components/ui/Pair.module.css";

const EMPTY = { firstname: "", lastname: "", email: "", password: "", terms: false };
type Values = typeof EMPTY;

/** A problem found while submitting: shown at its field. */
class FieldRefused extends Error {
  constructor(
    readonly field: keyof Values,
    text: string,
  ) {
    super(text);
  }
}

/** The checks in the order of the specification, then the registration itself. */
async function signUp({ firstname, lastname, email: typed, password, terms }: Values) {
  const email = typed.trim().toLowerCase();
  await requireBusinessEmail(email);
  const fault = passwordError(password, t("field.passwordShort"));
  if (fault) throw new FieldRefused("password", fault);
  if (!terms) throw new FieldRefused("terms", t("register.acceptTerms"));
  await requireFreeEmail(email);
  return register({ email, password, name: `${firstname.trim()} ${lastname.trim()}` });
}

export function RegisterScreen() {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      firstname: (text) => (isBlank(text) ? t("field.firstnameMissing") : null),
      lastname: (text) => (isBlank(text) ? t("field.lastnameMissing") : null),
      email: (text) => (isBlank(text) ? t("field.emailMissing") : isEmail(text) ? null : t("field.emailInvalid")),
      password: (text) => (isBlank(text) ? t("field.passwordMissing") : null),
    },
  });
  const signup = useMutation({
    mutationFn: signUp,
    onSuccess: (user) => {
      unverifiedMet(user);
      void navigate("/tellusmore", { replace: true });
    },
    onError: (error) => {
      if (error instanceof FieldRefused) return form.setFieldError(error.field, error.message);
      if (error instanceof NotBusiness) return form.setFieldError("email", t("register.businessOnly"));
      if (error instanceof EmailTaken) return form.setFieldError("email", t("register.emailTaken"));
      if (!isRepeatable(error)) form.reset();
    },
  });

  return (
    <AuthForm
      title={t("register.title")}
      lead={t("register.lead")}
      alert={signup.isError ? reasonOf(signup.error) : null}
      onSubmit={form.onSubmit((values) => signup.mutate(values))}
      foot={
        <>
          {t("register.hasAccount")}{" "}
          <Anchor component={Link} to="/login" fw={600}>{t("login.title")}</Anchor>
        </>
      }
    >
      <div className={classes.pair}>
        <TextInput label={t("field.firstname")} autoComplete="given-name" autoFocus {...form.getInputProps("firstname")} />
        <TextInput label={t("field.lastname")} autoComplete="family-name" {...form.getInputProps("lastname")} />
      </div>
      <TextInput label={t("field.businessEmail")} {...EMAIL_INPUT} autoComplete="email" {...form.getInputProps("email")} />
      <SecretInput label={t("field.password")} autoComplete="new-password" {...form.getInputProps("password")} />
      <PasswordHint password={form.values.password} />
      <TermsCheckbox {...form.getInputProps("terms", { type: "checkbox" })} />
      <BusyButton type="submit" size="md" busy={signup.isPending}>
        {t("register.submit")}
      </BusyButton>
    </AuthForm>
  );
}

/** Whether the same form can be sent again, so that its values are kept. */
function isRepeatable(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 429 || error.status === 0);
}

/** Form-level errors; field errors appear next to the field. */
function reasonOf(error: unknown): string | null {
  if (error instanceof FieldRefused || error instanceof NotBusiness || error instanceof EmailTaken) return null;
  return isRepeatable(error) ? explain(error) : t("somethingWrong");
}

export { RegisterScreen as Component };
