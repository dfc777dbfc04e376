/** Landing page and sign-in. Shows why a sign-in was rejected and where to continue. */
import { Anchor, Divider, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Suspense, lazy, useState } from "react";
import { Link, Navigate, useLocation, useNavigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { signIn } from "../../api/account";
import { config } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { AuthForm } from "../../components/AuthForm";
import { BusyButton } from "../../components/ui/BusyButton";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n";
import { isBlank, isEmail } from "../../lib/validate";
import { sessionEnded, useIsLoggedIn } from "../../stores/session";
import { unverifiedMet, type Unverified } from "../../stores/unverified";
import { DemoDoors } from "./DemoDoors";
import classes from "./Login.module.css";
import { ERRORS, isTrouble, wayIn } from "./outcome";
import { SocialButtons } from "./SocialButtons";
import { useSignedIn } from "./useSignedIn";
import { useSocial } from "./useSocial";

const SecondStep = lazy(() => import("./SecondStep"));

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return t("somethingWrong");
  if (ERRORS[error.code]) return ERRORS[error.code]!;
  return isTrouble(error) ? explain(error) : t("session.invalid");
}

export function LoginScreen() {
  const [mfatoken, setMfatoken] = useState("");
  const [late, setLate] = useState<string>();
  const isLoggedIn = useIsLoggedIn();
  const navigate = useNavigate();
  const { state } = useLocation();
  const signedIn = useSignedIn();
  const social = useSocial(setMfatoken);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "", password: "" },
    validate: {
      email: (email) => (isBlank(email) ? t("field.emailMissing") : isEmail(email) ? null : t("field.emailInvalid")),
      password: (password) => (password ? null : t("field.passwordMissing")),
    },
  });
  const login = useMutation({
    mutationFn: ({ email, password }: typeof form.values) => signIn(email.trim(), password),
    onSuccess: (found) => void signedIn(found),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      if ([800, 801, 803].includes(error.code)) sessionEnded();
      if (error.code === 804) setMfatoken(String(error.context["mfatoken"]));
      if (error.code !== 802) return;
      // The form that would show this has been unmounted.
      toast(reasonOf(error), "bad", 1);
      unverifiedMet(error.context as unknown as Unverified);
      void navigate("/verifyemail");
    },
  });

  // A sign-in redirects by itself; this handles a session that already existed or was started in another tab.
  if (isLoggedIn && login.isIdle && social.isIdle) return <Navigate to={wayIn(state)} replace />;
  if (mfatoken) {
    const back = (reason?: string) => {
      setMfatoken("");
      setLate(reason);
      login.reset();
      social.cancel();
    };
    return (
      <Suspense>
        <SecondStep mfatoken={mfatoken} onSignedIn={(me) => void signedIn(me)} onBack={back} />
      </Suspense>
    );
  }
  return (
    <AuthForm
      title={t("login.title")}
      lead={t("login.lead")}
      alert={login.isError ? reasonOf(login.error) : (late ?? social.failure)}
      onSubmit={form.onSubmit((values) => {
        social.cancel();
        setLate(undefined);
        login.mutate(values);
      })}
      foot={
        <>
          {t("login.noAccount")}{" "}
          <Anchor component={Link} to="/register" fw={600}>{t("login.signUp")}</Anchor>
        </>
      }
    >
      <TextInput
        key={form.key("email")}
        {...form.getInputProps("email")}
        label={t("field.email")}
        {...EMAIL_INPUT}
        autoComplete="username"
        autoFocus
      />
      <PasswordInput
        key={form.key("password")}
        {...form.getInputProps("password")}
        label={t("field.password")}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ "aria-label": t("field.show") }}
      />
      <Anchor component={Link} to="/forgotpassword" className={classes.forgot}>{t("login.forgot")}</Anchor>
      <BusyButton type="submit" size="md" busy={login.isPending}>
        {t("login.submit")}
      </BusyButton>
      <Divider label={t("login.or")} />
      <SocialButtons social={social} onStart={login.reset} />
      {config().demo && <DemoDoors busy={login.isPending} onEnter={(values) => login.mutate(values)} />}
    </AuthForm>
  );
}

export { LoginScreen as Component };
