/** Adds a webhook, then shows the secret that verifies its signatures. */
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useAddWebhook } from "../../api/webhooks";
import { Dialog } from "../../components/ui/Dialog";
import { t } from "../../lib/i18n.api";
import { KINDS } from "./kinds";
import { Secret } from "./Secret";
import { WebhookForm } from "./WebhookForm";

const EVERY = { url: "", events: KINDS.map(({ name }) => name) };

export function AddWebhook({ onClose }: { onClose: () => void }) {
  const add = useAddWebhook();
  const [secret, setSecret] = useState("");
  return (
    <Dialog opened onClose={onClose} title={t(secret ? "webhooks.secretTitle" : "webhooks.add")}>
      {secret ? (
        <Secret secret={secret} onClose={onClose} />
      ) : (
        <WebhookForm
          initial={EVERY}
          submit={t("webhooks.add")}
          send={add}
          onClose={onClose}
          onSubmit={(record, proof) =>
            add.mutate(
              { record, proof },
              {
                onSuccess: ([made]) => {
                  toast(t("webhooks.added"));
                  setSecret(made?.secret ?? "");
                },
              },
            )
          }
        />
      )}
    </Dialog>
  );
}
