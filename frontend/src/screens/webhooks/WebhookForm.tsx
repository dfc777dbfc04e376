/** The address and the events of a webhook. */
import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { UseMutationResult } from "@tanstack/react-query";
import { explain, fieldErrors } from "../../api/explain";
import type { EventName, Proof } from "../../api/types";
import { ProofFields, useProof } from "../proof/Proof";
import { FormButtons } from "../../components/ui/FormButtons";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.api";
import { KINDS } from "./kinds";

const LONGEST_URL = 500;

interface Values {
  url: string;
  events: EventName[];
}

interface Props {
  initial: Values;
  submit: string;
  send: UseMutationResult<unknown, Error, { record: object; proof: Proof | null }>;
  /** The values to send; a new address is sent with a proof. */
  onSubmit: (values: Values, proof: Proof | null) => void;
  onClose: () => void;
}

export function WebhookForm({ initial, submit, send, onSubmit, onClose }: Props) {
  const form = useForm<Values>({
    initialValues: initial,
    validate: {
      url: (text) => (text.trim() ? null : t("webhooks.urlMissing")),
      events: (chosen) => (chosen.length > 0 ? null : t("webhooks.eventsMissing")),
    },
  });
  const { error, isPending, reset } = send;
  const proof = useProof(error, reset);
  const { url: rejected } = fieldErrors(error);
  const moves = form.values.url.trim() !== initial.url || !initial.url;
  const save = ({ url, events }: Values) => {
    const taken = moves ? proof.take() : null;
    if (taken || !moves) onSubmit({ url: url.trim(), events }, taken);
  };
  return (
    <Form onSubmit={form.onSubmit(save)}>
      <FormAlert text={error && !rejected && !proof.shows ? explain(error) : null} />
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
      {moves && <ProofFields proof={proof} />}
      <FormButtons onClose={onClose} busy={isPending}>
        {submit}
      </FormButtons>
    </Form>
  );
}
