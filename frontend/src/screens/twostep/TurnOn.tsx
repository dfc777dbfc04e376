/** Setting an authenticator app up: the QR code and the first code that the app shows. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain, fieldErrors } from "../../api/explain";
import { type Answer, useScript } from "../../api/scripts";
import { CodeInput } from "../../components/CodeInput";
import { CopyButton } from "../../components/CopyButton";
import { QrCode } from "../../components/QrCode";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.twostep";
import classes from "./TwoStep.module.css";

export type Setup = Answer<"user/mfa/setup">;

export function Confirm({ setup, onBack, onCodes }: { setup: Setup; onBack: () => void; onCodes: (codes: string[]) => void }) {
  const [code, setCode] = useState("");
  const [missing, setMissing] = useState(false);
  const confirm = useScript("user/mfa/confirm", { stale: ["account"] });
  const { code: rejected } = fieldErrors(confirm.error);
  return (
    <Card>
      <form
        className={classes.steps}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(!code.trim());
          if (!code.trim()) return;
          confirm.mutate(
            { setup: setup.setup, code },
            {
              onSuccess: ({ recoverycodes }) => {
                toast(t("twostep.onTitle"));
                onCodes(recoverycodes);
              },
            },
          );
        }}
      >
        <FormAlert text={confirm.error && !rejected ? messageOf(confirm.error) : null} />
        <h2>{t("twostep.scanTitle")}</h2>
        <Group>
          <QrCode value={setup.uri} label={t("twostep.scanLabel")} />
          <div>
            <p>{t("twostep.scanText")}</p>
            <Group wrap="nowrap" gap="var(--s-1)" className={classes.key}>
              <code>{spaced(setup.secret)}</code>
              <CopyButton text={setup.secret} label={t("twostep.copyKey")} onCopied={() => toast(t("copied"))} />
            </Group>
          </div>
        </Group>
        <h2>{t("twostep.enterTitle")}</h2>
        <CodeInput
          className={classes.code!}
          label={t("secondstep.code")}
          value={code}
          error={rejected ?? (missing ? t("secondstep.missing") : null)}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setMissing(false);
            confirm.reset();
          }}
        />
        <Group>
          <BusyButton type="submit" busy={confirm.isPending}>
            {t("twostep.turnOn")}
          </BusyButton>
          <Button variant="default" onClick={onBack}>
            {t("cancel")}
          </Button>
        </Group>
      </form>
    </Card>
  );
}

/** The message of an expired setup, or else that of the error. */
const messageOf = (error: unknown): string => fieldErrors(error)["setup"] ?? explain(error);

/** A key in groups of four, as it is typed. */
const spaced = (key: string): string => key.replace(/(.{4})(?=.)/g, "$1 ");
