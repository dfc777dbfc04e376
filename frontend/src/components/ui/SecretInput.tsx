/** A password field. The eye does not call itself a password, so that the field is the only one with that name. */
import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { t } from "../../lib/i18n";

export function SecretInput(props: PasswordInputProps) {
  return <PasswordInput {...props} visibilityToggleButtonProps={{ "aria-label": t("field.show") }} />;
}
