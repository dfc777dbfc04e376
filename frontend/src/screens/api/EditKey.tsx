/** Changes the purpose of a key. */
import { toast } from "../../../shared/toasts";
import { useChangeKey } from "../../api/apikeys";
import { explain } from "../../api/explain";
import type { ApiKey } from "../../api/types";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.api";
import { KeyForm } from "./KeyForm";

export function EditKey({ apikey, opened, onClose }: { apikey: ApiKey; opened: boolean; onClose: () => void }) {
  const change = useChangeKey();
  const save = (purpose: string) =>
    change.mutate(
      { keyid: apikey.keyid, purpose },
      {
        onSuccess: () => {
          toast(t("api.updateDone"));
          onClose();
        },
      },
    );
  return (
    <Dialog opened={opened} onClose={onClose} title={t("api.edit")}>
      <FormAlert text={change.error && explain(change.error)} />
      <KeyForm
        apikey={apikey.apikey}
        purpose={apikey.purpose}
        submit={t("api.update")}
        busy={change.isPending}
        onSubmit={save}
        onClose={onClose}
      />
    </Dialog>
  );
}
