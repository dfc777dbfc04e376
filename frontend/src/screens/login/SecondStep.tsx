/** The second step of a sign-in: a code of the authenticator app, or a recovery code. Import it lazily: few need it. */
import { Anchor } from "@mantine/core";
import { useState } from "react";
import { completeSignIn } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import type { Account } from "../../api/types";
import { AuthForm } from "../../components/AuthForm";
import { CodeInput } from "../../components/CodeInput";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n.twostep";
import { isTrouble } from "./outcome";

interface Props {
  mfatoken: string;
  onSignedIn: (me: Account) => void;
  /** Back to the password, with the reason if the sign-in took too long. */
  onBack: (reason?: string) => void;
}

export default function SecondStep({ mfatoken, onSignedIn, onBack }: Props) {
  const [code, setCode] = useState("");
  const [recovery, setRecovery] = useState(false);
  const [missing, setMissing] = useState(false);
  const complete = useMutation({
    mutationFn: (text: string) => completeSignIn(mfatoken, text),
    onSuccess: onSignedIn,
    onError: (error) => {
      const stays = error instanceof ApiError && (error.reason === "mfa_code_wrong" || isTrouble(error));
      if (!stays) onBack(explain(error));
    },
  });
  return (
    <AuthForm
      title={t("secondstep.title")}
      lead={t(recovery ? "secondstep.recoveryLead" : "secondstep.lead")}
      alert={complete.isError ? explain(complete.error) : null}
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(!code.trim());
        if (code.trim()) complete.mutate(code);
      }}
      foot={
        <Anchor component="button" type="button" onClick={() => onBack()}>
          {t("forgot.back")}
        </Anchor>
      }
    >
      <CodeInput
        recovery={recovery}
        label={t(recovery ? "secondstep.recoveryCode" : "secondstep.code")}
        value={code}
        error={missing ? t("secondstep.missing") : null}
        onChange={(event) => {
          setCode(event.currentTarget.value);
          setMissing(false);
        }}
        autoFocus
        key={String(recovery)}
      />
      <BusyButton type="submit" size="md" busy={complete.isPending}>
        {t("secondstep.submit")}
      </BusyButton>
      <Anchor
        component="button"
        type="button"
        onClick={() => {
          setRecovery(!recovery);
          setCode("");
          complete.reset();
        }}
      >
        {t(recovery ? "secondstep.useApp" : "secondstep.useRecovery")}
      </Anchor>
    </AuthForm>
  );
}
