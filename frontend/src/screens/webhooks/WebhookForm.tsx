/** The address and the events of a webhook. */
import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { explain, fieldErrors } from "../../api/explain";
import type { EventName } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.webhooks";
import { KINDS } from "./kinds";

const LONGEST_URL = 500;

interface Values {
  url: string;
  events: EventName[];
}

interface Props {
  initial: Values;
  submit: string;
  busy: boolean;
  error: unknown;
  onSubmit: (values: Values) => void;
  onClose: () => void;
}

export function WebhookForm({ initial, submit, busy, error, onSubmit, onClose }: Props) {
  const form = useForm<Values>({
    initialValues: initial,
    validate: {
      url: (text) => (text.trim() ? null : t("webhooks.urlMissing")),
      events: (chosen) => (chosen.length > 0 ? null : t("webhooks.eventsMissing")),
    },
  });
  const { url: rejected } = fieldErrors(error);
  return (
    <form onSubmit={form.onSubmit(({ url, events }) => onSubmit({ url: url.trim(), events }))} noValidate>
      <Stack>
        <FormAlert text={error && !rejected ? explain(error) : null} />
        <TextInput
          label={t("webhooks.url")}
          description={t("webhooks.urlHint")}
          placeholder="https://"
          type="url"
          maxLength={LONGEST_URL}
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("url")}
          error={form.errors["url"] ?? rejected}
        />
        <Checkbox.Group label={t("webhooks.events")} {...form.getInputProps("events")}>
          <Stack gap="sm" mt="xs">
            {KINDS.map(({ name, text }) => (
              <Checkbox key={name} value={name} label={text} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <BusyButton type="submit" busy={busy}>
            {submit}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}
