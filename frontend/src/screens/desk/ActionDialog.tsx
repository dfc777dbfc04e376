/** Asks for the reason for an action, and explains its effect beforehand. */
import { Textarea } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ApiError } from "../../api/errors";
import { explain, fieldErrors } from "../../api/explain";
import { FormButtons } from "../../components/ui/FormButtons";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.desk";

interface Props {
  title: string;
  /** The effect of the action. */
  text: ReactNode;
  confirm: string;
  danger?: boolean;
  busy: boolean;
  error: unknown;
  /** Whether the fields contain everything that the action needs. */
  ready?: boolean;
  children?: ReactNode;
  onClose: () => void;
  onConfirm: (reason: string) => void;
}

const SHORTEST = 3;
const LONGEST = 300;

export function ActionDialog({ title, text, confirm, danger = false, busy, error, ready = true, children, onClose, onConfirm }: Props) {
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const tooShort = reason.trim().length < SHORTEST;
  const rejected = fieldErrors(error)["reason"];
  const submit = () => {
    setMissing(tooShort);
    if (!tooShort && ready) onConfirm(reason.trim());
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Form onSubmit={submit}>
        <FormAlert text={error && !rejected ? messageOf(error) : null} />
        {children}
        <Textarea
          label={t("reason")}
          description={t("reasonHint")}
          value={reason}
          maxLength={LONGEST}
          autosize
          minRows={2}
          error={rejected ?? (missing && tooShort ? t("reasonMissing") : null)}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus={children ? undefined : true}
        />
        <div role="status">{text}</div>
        <FormButtons onClose={onClose} danger={danger} busy={busy}>
          {confirm}
        </FormButtons>
      </Form>
    </Dialog>
  );
}

/** The message of the first rejected field, or else that of the error. */
function messageOf(error: unknown): string {
  const [first] = Object.values(fieldErrors(error));
  return error instanceof ApiError && first ? first : explain(error);
}
