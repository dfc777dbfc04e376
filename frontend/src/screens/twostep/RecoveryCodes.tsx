/** Shows new recovery codes once, to be copied or saved as a file. */
import { Button, Group } from "@mantine/core";
import { Copy, Download } from "lucide-react";
import { copyText } from "../../../shared/clipboard";
import { saveFile } from "../../../shared/savefile";
import { toast } from "../../../shared/toasts";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.twostep";
import classes from "./TwoStep.module.css";

const ICON = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  const text = `${codes.join("\n")}\n`;
  return (
    <Card title={t("twostep.savedTitle")} text={t("twostep.savedText")}>
      <div className={classes.steps}>
        <ul className={classes.codes} aria-label={t("twostep.savedTitle")}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <Button variant="default" leftSection={<Copy {...ICON} />} onClick={() => void copyText(text).then(() => toast(t("copied")))}>
            {t("twostep.copyAll")}
          </Button>
          <Button
            variant="default"
            leftSection={<Download {...ICON} />}
            onClick={() => saveFile(new Blob([text], { type: "text/plain" }), t("twostep.file"))}
          >
            {t("twostep.download")}
          </Button>
        </Group>
        {/* The second click of a double click would close the only view of the codes. */}
        <BusyButton onClick={onSaved}>{t("twostep.saved")}</BusyButton>
      </div>
    </Card>
  );
}
