/** The part of a form in which users prove that it is them: the password, a code, or another sign-in at the provider. */
import { Anchor, Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useAccount } from "../../api/account";
import { config } from "../../api/config";
import { explain, fieldErrors } from "../../api/explain";
import { identities, missingOf, useSignInAgain } from "../../api/proof";
import type { Proof } from "../../api/types";
import type { Vendor } from "../../api/social";
import { openPopup } from "../../lib/openpopup";
import { t } from "../../lib/i18n.twostep";
import { CodeInput } from "../../components/CodeInput";
import { FormAlert } from "../../components/ui/FormAlert";
import { SecretInput } from "../../components/ui/SecretInput";

export const PROVIDERS: Record<Vendor, string> = { google: "Google", linkedin: "LinkedIn" };

/** Whether an error is about the proof, so that the fields show it. */
export const isOfProof = (error: unknown): boolean => "password" in fieldErrors(error) || missingOf(error).length > 0;

/** The state of the fields. `error` is that of the last call, and `reset` forgets it. */
export function useProof(error: unknown, reset: () => void) {
  const { haspassword, hasmfa } = useAccount();
  const [values, setValues] = useState({ password: "", code: "" });
  const [asked, setAsked] = useState(false);
  const { password, code } = values;
  return {
    values,
    error,
    asked,
    set: (changed: Proof) => {
      setValues((before) => ({ ...before, ...changed }));
      setAsked(false);
      reset();
    },
    /** The proof to send, or null if a field is empty, which is then shown at the field. */
    take: (): Proof | null => {
      setAsked(true);
      if ((haspassword && !password) || (hasmfa && !code.trim())) return null;
      return { ...(haspassword && { password }), ...(hasmfa && { code: code.trim() }) };
    },
    /** Whether the error is shown at the fields. */
    shows: isOfProof(error),
  };
}

export type ProofState = ReturnType<typeof useProof>;

export function ProofFields({ proof, autoFocus = false }: { proof: ProofState; autoFocus?: boolean }) {
  const { email, haspassword, hasmfa } = useAccount();
  const { values, error, asked, set } = proof;
  const [recovery, setRecovery] = useState(false);
  const missing = missingOf(error);
  const { password: wrong } = fieldErrors(error);
  return (
    <Stack gap="sm">
      {haspassword ? (
        <>
          {/* Tells password managers which account the password belongs to. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <SecretInput
            label={t("field.password")}
            autoComplete="current-password"
            value={values.password}
            error={wrong ?? ((asked && !values.password) || missing.includes("password") ? t("field.passwordMissing") : null)}
            onChange={(event) => set({ password: event.currentTarget.value })}
            data-autofocus={autoFocus || undefined}
          />
        </>
      ) : (
        <SignInAgain isNeeded={missing.includes("signin")} onDone={() => set({})} />
      )}
      {Boolean(hasmfa) && (
        <>
          <CodeInput
            recovery={recovery}
            label={t(recovery ? "secondstep.recoveryCode" : "secondstep.code")}
            value={values.code}
            error={asked && !values.code.trim() ? t("secondstep.missing") : missing.includes("code") ? explain(error) : null}
            onChange={(event) => set({ code: event.currentTarget.value })}
            key={String(recovery)}
          />
          <Anchor
            component="button"
            type="button"
            ta="start"
            onClick={() => {
              setRecovery(!recovery);
              set({ code: "" });
            }}
          >
            {t(recovery ? "secondstep.useApp" : "secondstep.useRecovery")}
          </Anchor>
        </>
      )}
    </Stack>
  );
}

/** For users without a password. A sign-in of the last minutes is enough, so the server decides whether it is needed. */
function SignInAgain({ isNeeded, onDone }: { isNeeded: boolean; onDone: () => void }) {
  const { appuserid } = useAccount();
  const again = useSignInAgain(appuserid);
  const waiting = useRef<AbortController | null>(null);
  useEffect(() => () => waiting.current?.abort(), []);
  const { data } = useQuery(identities);
  const { googleenabled, linkedinenabled } = config();
  const linked = new Set(data?.resource.map(({ provider }) => provider));
  const offered = ([["google", googleenabled], ["linkedin", linkedinenabled]] as const).filter(([vendor, on]) => on && (linked.size === 0 || linked.has(vendor)));
  const start = (vendor: Vendor) => {
    waiting.current?.abort();
    waiting.current = new AbortController();
    const popup = openPopup();
    if (popup) again.mutate({ vendor, popup, signal: waiting.current.signal }, { onSuccess: onDone });
  };
  const text = again.isSuccess && !isNeeded ? t("proof.again") : isNeeded ? t("proof.signin") : t("proof.provider");
  return (
    <>
      <FormAlert text={again.isError ? t("proof.failed") : null} />
      <p role={isNeeded ? "alert" : undefined}>{text}</p>
      {offered.map(([vendor]) => (
        <Button key={vendor} variant={isNeeded ? "filled" : "default"} loading={again.isPending && again.variables.vendor === vendor} onClick={() => start(vendor)}>
          {t("proof.signInWith", { provider: PROVIDERS[vendor] })}
        </Button>
      ))}
    </>
  );
}
