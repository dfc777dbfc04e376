/** The checkbox that accepts the terms, with a link that opens them next to the form. */
import { Anchor, Checkbox, type CheckboxProps } from "@mantine/core";
import { t } from "../lib/i18n";

export function TermsCheckbox(props: CheckboxProps) {
  return (
    <Checkbox
      label={
        <>
          {t("register.agree")}{" "}
          <Anchor href="/termsofuse" target="_blank" rel="noopener" size="sm">
            {t("register.terms")}
          </Anchor>
        </>
      }
      {...props}
    />
  );
}
