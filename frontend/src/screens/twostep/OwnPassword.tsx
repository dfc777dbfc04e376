/** The field in which users enter their own password again. */
import { useAccount } from "../../api/account";
import { SecretInput } from "../../components/ui/SecretInput";
import { t } from "../../lib/i18n.twostep";

interface Props {
  value: string;
  error: string | undefined;
  onChange: (password: string) => void;
  autoFocus?: boolean;
}

export function OwnPassword({ value, error, onChange, autoFocus }: Props) {
  const { email } = useAccount();
  return (
    <>
      {/* Tells password managers which account the password belongs to. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <SecretInput
        label={t("field.password")}
        autoComplete="current-password"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        data-autofocus={autoFocus}
      />
    </>
  );
}
