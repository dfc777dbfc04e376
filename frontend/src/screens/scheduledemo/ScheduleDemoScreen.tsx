/** Requests a demo, or sends sales another question. */
import { Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Check } from "lucide-react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { explain, fieldErrors } from "../../api/explain";
import { useScript } from "../../api/scripts";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { Page } from "../../components/ui/Page";
import { Form } from "../../components/ui/Form";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n.dashboard";
import { isBlank, isEmail } from "../../lib/validate";
import classes from "./ScheduleDemo.module.css";

const LONGEST = 200;
const SHOWN = ["find", "reveal", "team", "api"] as const;

export function ScheduleDemoScreen() {
  const { name, email } = useAccount();
  const send = useScript("scheduledemoemail");
  const form = useForm({
    initialValues: { name, email, query: "" },
    validate: {
      name: (text) => (isBlank(text) ? t("demoForm.nameMissing") : null),
      email: (text) => (isBlank(text) ? t("field.emailMissing") : isEmail(text) ? null : t("field.emailInvalid")),
      query: (text) => (isBlank(text) ? t("demoForm.queryMissing") : text.length > LONGEST ? t("demoForm.queryLong") : null),
    },
  });
  const submit = (values: typeof form.values) =>
    send.mutate(values, {
      onSuccess: () => {
        toast(t("demoForm.sent"));
        form.setFieldValue("query", "");
      },
      onError: (error) => {
        form.setErrors(fieldErrors(error));
        toast(explain(error), "bad");
      },
    });

  return (
    <Page title={t("demoForm.title")} lead={t("demoForm.lead")} width="form">
      <div className={classes.beside}>
        <Card>
          <Form onSubmit={form.onSubmit(submit)}>
            <TextInput label={t("demoForm.name")} autoComplete="name" maxLength={100} {...form.getInputProps("name")} />
            <TextInput label={t("field.email")} {...EMAIL_INPUT} autoComplete="email" {...form.getInputProps("email")} />
            <Textarea
              label={t("demoForm.query")}
              description={t("demoForm.queryHint")}
              rows={4}
              {...form.getInputProps("query")}
            />
            <BusyButton type="submit" busy={send.isPending} style={{ alignSelf: "start" }}>
              {t("submit")}
            </BusyButton>
          </Form>
        </Card>
        <aside className={classes.shown} aria-label={t("demoForm.shown")}>
          <h2>{t("demoForm.shown")}</h2>
          <ul>
            {SHOWN.map((part) => (
              <li key={part}>
                <Check size={16} strokeWidth={1.75} aria-hidden="true" />
                {t(`demoForm.${part}`)}
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </Page>
  );
}

export { ScheduleDemoScreen as Component };
