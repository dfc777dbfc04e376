/** Creates a key. The server generates its name and reserves it for this account while the form is open. */
import { Checkbox } from "@mantine/core";
import { useEffect, useState } from "react";
import { toast } from "../../../shared/toasts";
import { useCreateKey, useGenerateKey } from "../../api/apikeys";
import { explain } from "../../api/explain";
import { ProofFields, useProof } from "../proof/Proof";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.api";
import { KeyForm } from "./KeyForm";

export function CreateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t("api.create")}>
      <NewKey onClose={onClose} />
    </Dialog>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const { mutate: generate, ...generated } = useGenerateKey();
  const create = useCreateKey();
  const proof = useProof(create.error, create.reset);

  const [test, setTest] = useState(false);
  useEffect(() => generate({ test }), [generate, test]);

  const apikey = generated.data?.apikey ?? "";
  const save = (purpose: string) => {
    const taken = proof.take();
    if (!taken) return;
    create.mutate(
      { record: { apikey, purpose }, proof: taken },
      {
        onSuccess: () => {
          toast(t("api.createDone"));
          onClose();
        },
      },
    );
  };
  const problem = (proof.shows ? null : create.error) ?? generated.error;
  return (
    <>
      <FormAlert text={problem && explain(problem)} />
      <KeyForm
        apikey={apikey}
        purpose=""
        submit={t("api.createSubmit")}
        busy={create.isPending}
        more={
          <>
            <Checkbox label={t("api.test")} description={t("api.testText")} checked={test} onChange={(event) => setTest(event.currentTarget.checked)} />
            <ProofFields proof={proof} />
          </>
        }
        onSubmit={save}
        onClose={onClose}
      />
    </>
  );
}
