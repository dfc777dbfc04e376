/** Removal from the directory: mails a link that confirms it. Needs no account. */
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { profileHost } from "../../api/config";
import { explain, fieldErrors } from "../../api/explain";
import { useScript } from "../../api/scripts";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { FormAlert } from "../../components/ui/FormAlert";
import { Page } from "../../components/ui/Page";
import { Form } from "../../components/ui/Form";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n";
import { isBlank, isEmail } from "../../lib/validate";

export function RemovalScreen() {
  const request = useScript("removalrequest");
  const form = useForm({
    initialValues: { email: "", linkedinurl: "" },
    validate: {
      email: (text) => (isBlank(text) ? t("field.emailMissing") : isEmail(text.trim()) ? null : t("field.emailInvalid")),
    },
  });
  const submit = ({ email, linkedinurl }: typeof form.values) =>
    request.mutate(
      { email: email.trim().toLowerCase(), linkedinurl: linkedinurl.trim() },
      { onError: (error) => form.setErrors(fieldErrors(error)) },
    );

  return (
    <Page title={t("removal.title")} lead={t("removal.lead")} width="doc">
      <Card>
        <Form onSubmit={form.onSubmit(submit)}>
          <FormAlert text={request.error && explain(request.error)} />
          {request.isSuccess && <Banner tone="accent">{t("removal.sent", { email: request.variables.email })}</Banner>}
          <TextInput label={t("field.email")} description={t("removal.emailHint")} {...EMAIL_INPUT} autoComplete="email" {...form.getInputProps("email")} />
          <TextInput
            label={t("removal.profile")}
            description={t("removal.profileHint")}
            placeholder={`${profileHost()}/in/`}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps("linkedinurl")}
          />
          <BusyButton type="submit" busy={request.isPending} variant={request.isSuccess ? "default" : "filled"} style={{ alignSelf: "start" }}>
            {t("removal.submit")}
          </BusyButton>
        </Form>
      </Card>
    </Page>
  );
}

export { RemovalScreen as Component };
