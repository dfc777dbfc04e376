/** The key name, which cannot be changed, and the purpose of the key. */
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { FormButtons } from "../../components/ui/FormButtons";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.api";
import { isBlank } from "../../lib/validate";

const LONGEST_PURPOSE = 200;

interface Props {
  apikey: string;
  purpose: string;
  submit: string;
  busy: boolean;
  /** Shown below the purpose: choices of a new key, and the proof of the user that it needs. */
  more?: ReactNode;
  onSubmit: (purpose: string) => void;
  onClose: () => void;
}

export function KeyForm({ apikey, purpose, submit, busy, more, onSubmit, onClose }: Props) {
  const form = useForm({
    initialValues: { purpose },
    validate: { purpose: (text) => (isBlank(text) ? t("api.purposeMissing") : null) },
  });
  return (
    <Form onSubmit={form.onSubmit((values) => onSubmit(values.purpose.trim()))}>
      <TextInput label={t("api.keyName")} description={t("api.keyNameText")} value={apikey} readOnly />
      <TextInput label={t("api.purpose")} maxLength={LONGEST_PURPOSE} data-autofocus {...form.getInputProps("purpose")} />
      {more}
      <FormButtons onClose={onClose} busy={busy} disabled={apikey === ""}>
        {submit}
      </FormButtons>
    </Form>
  );
}
