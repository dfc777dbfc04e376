/** Replaces a key. The old one keeps working for a while, so programs can be changed. */
import { Checkbox, NativeSelect, Stack } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useRotateKey } from "../../api/apikeys";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { ApiKey } from "../../api/types";
import { CopyKey } from "../../components/CopyKey";
import { ProofFields, useProof } from "../proof/Proof";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.api";

const HOURS = [0, 24, 72, 168];

export default function RotateKey({ apikey, opened, onClose }: { apikey: ApiKey; opened: boolean; onClose: () => void }) {
  const [hours, setHours] = useState(24);
  const [replace, setReplace] = useState(false);
  const rotate = useRotateKey();
  const proof = useProof(rotate.error, rotate.reset);
  const overlaps = rotate.error instanceof ApiError && rotate.error.reason === "old_key_works";
  const made = rotate.data;
  return (
    <Dialog opened={opened} onClose={onClose} title={t("api.rotate")}>
      <FormAlert text={rotate.error && !proof.shows ? explain(rotate.error) : null} />
      {made ? (
        <Stack>
          <CopyKey apikey={made.apikey} onCopied={() => toast(t("copied"))} />
          <p>{t("api.rotateUntil", { when: momentText(made.oldkeyuntil) })}</p>
          {/* The second click of a double click would close the only view of the key. */}
          <BusyButton onClick={onClose}>
            {t("api.rotateClose")}
          </BusyButton>
        </Stack>
      ) : (
        <Form
          onSubmit={() => {
            const taken = proof.take();
            if (taken) rotate.mutate({ keyid: apikey.keyid, hours, replace, ...taken });
          }}
        >
          <p>{t("api.rotateText", { purpose: apikey.purpose })}</p>
          <NativeSelect
            label={t("api.rotateHours")}
            value={hours}
            onChange={(event) => setHours(Number(event.currentTarget.value))}
            data={HOURS.map((value) => ({ value: String(value), label: value ? t("api.hours", { count: value }) : t("api.hoursNone") }))}
          />
          {(overlaps || replace) && (
            <Checkbox label={t("api.rotateReplace")} checked={replace} onChange={(event) => setReplace(event.currentTarget.checked)} />
          )}
          <ProofFields proof={proof} />
          <BusyButton type="submit" busy={rotate.isPending}>
            {t("api.rotateSubmit")}
          </BusyButton>
        </Form>
      )}
    </Dialog>
  );
}
