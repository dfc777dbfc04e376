/** Puts a person on the removal list. */
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useDesk } from "../../api/desk";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n.desk";
import { isEmail } from "../../lib/validate";
import { ActionDialog } from "./ActionDialog";

export function SuppressDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [linkedinurl, setUrl] = useState("");
  const suppress = useDesk("suppress");
  const confirm = (reason: string) =>
    suppress.mutate(
      { email, linkedinurl, reason },
      {
        onSuccess: () => {
          toast(t("suppress.done"));
          onClose();
        },
      },
    );
  return (
    <ActionDialog
      title={t("suppress.title")}
      text={t("suppress.text")}
      confirm={t("suppress.confirm")}
      danger
      busy={suppress.isPending}
      error={suppress.error}
      ready={isEmail(email)}
      onClose={onClose}
      onConfirm={confirm}
    >
      <TextInput label={t("suppress.email")} {...EMAIL_INPUT} autoComplete="off" value={email} onChange={(event) => setEmail(event.currentTarget.value)} data-autofocus />
      <TextInput label={t("suppress.url")} value={linkedinurl} onChange={(event) => setUrl(event.currentTarget.value)} />
    </ActionDialog>
  );
}
