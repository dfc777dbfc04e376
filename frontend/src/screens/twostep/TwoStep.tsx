/** Turns two-step sign-in on and off. Every change asks for the password again. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { useScript } from "../../api/scripts";
import { ProofDialog } from "../proof/ProofDialog";
import { Banner } from "../../components/ui/Banner";
import { Card } from "../../components/ui/Card";
import { t as frame } from "../../lib/i18n.dashboard";
import { t } from "../../lib/i18n.twostep";
import { RecoveryCodes } from "./RecoveryCodes";
import { Confirm, type Setup } from "./TurnOn";

export function TwoStep() {
  const { haspassword, hasmfa } = useAccount();
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const show = (made: string[]) => {
    setCodes(made);
    setSetup(null);
  };
  return (
    <section aria-label={frame("settings.twostep")}>
      {codes ? (
        <RecoveryCodes codes={codes} onSaved={() => setCodes(null)} />
      ) : setup ? (
        // The account may be known to have it before the answer with the codes has arrived.
        <Confirm setup={setup} onBack={() => setSetup(null)} onCodes={show} />
      ) : hasmfa ? (
        <On onCodes={show} />
      ) : haspassword ? (
        <Off onSetup={setSetup} />
      ) : (
        <Banner>{t("twostep.provider")}</Banner>
      )}
    </section>
  );
}

function Off({ onSetup }: { onSetup: (setup: Setup) => void }) {
  const [asking, setAsking] = useState(false);
  const send = useScript("user/mfa/setup");
  return (
    <Card
      title={t("twostep.offTitle")}
      text={t("twostep.offText")}
      action={
        <Button variant="default" onClick={() => setAsking(true)}>
          {t("twostep.setUp")}
        </Button>
      }
    >
      {asking && <ProofDialog send={send} body={{}} title={t("twostep.setUp")} text={t("twostep.lead")} confirm={t("twostep.setUp")} onClose={() => setAsking(false)} onDone={onSetup} />}
    </Card>
  );
}

function On({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const [asking, setAsking] = useState<"disable" | "recoverycodes" | null>(null);
  const close = () => setAsking(null);
  return (
    <Card title={t("twostep.onTitle")} text={t("twostep.onText")}>
      <Group>
        <Button variant="default" onClick={() => setAsking("recoverycodes")}>
          {t("twostep.codes")}
        </Button>
        <Button variant="default" onClick={() => setAsking("disable")}>
          {t("twostep.turnOff")}
        </Button>
      </Group>
      {asking === "recoverycodes" && <NewCodes onClose={close} onCodes={onCodes} />}
      {asking === "disable" && <TurnOff onClose={close} />}
    </Card>
  );
}

function NewCodes({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: string[]) => void }) {
  const send = useScript("user/mfa/recoverycodes", { stale: ["account"] });
  return (
    <ProofDialog
      send={send}
      body={{}}
      title={t("twostep.codes")}
      text={t("twostep.codesText")}
      confirm={t("twostep.codesSubmit")}
      onClose={onClose}
      onDone={({ recoverycodes }) => onCodes(recoverycodes)}
    />
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const send = useScript("user/mfa/disable", { stale: ["account"] });
  return (
    <ProofDialog
      send={send}
      body={{}}
      title={t("twostep.turnOff")}
      text={t("twostep.turnOffText")}
      confirm={t("twostep.turnOff")}
      danger
      onClose={onClose}
      onDone={() => toast(t("twostep.offTitle"))}
    />
  );
}
