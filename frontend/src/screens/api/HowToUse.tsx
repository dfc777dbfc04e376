/** The documentation of the look-up API, with programs that run as they stand. */
import { Button, Stack, Tabs } from "@mantine/core";
import { Copy } from "lucide-react";
import { config, profileHost } from "../../api/config";
import { Dialog } from "../../components/ui/Dialog";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import { LANGUAGES, snippet } from "../../domain/snippets";
import { toast } from "../../stores/toasts";
import classes from "./Api.module.css";

const PARAMETERS = [
  ["linkedinurl", t("api.howUrl")],
  ["type", t("api.howType")],
  ["X-API-Key", t("api.howKey")],
] as const;

interface Props {
  apikey: string;
  opened: boolean;
  onClose: () => void;
}

async function copy(code: string): Promise<void> {
  await copyText(code);
  toast(t("copied"));
}

export function HowToUse({ apikey, opened, onClose }: Props) {
  const origin = config().publicurl || window.location.origin;
  const example = { origin, apikey: apikey || "YOUR_API_KEY", linkedinurl: `https://www.${profileHost()}/in/john-doe` };
  return (
    <Dialog opened={opened} onClose={onClose} size="xl" title={t("api.howTitle")}>
      <Stack>
        <p>{t("api.howText")}</p>
        <pre className={classes.code}>GET {origin}/api/v2/keylookup</pre>
        <div>
          <p className={classes.label}>{t("api.howParameters")}</p>
          <dl className={classes.parameters}>
            {PARAMETERS.map(([name, text]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </div>
        <Tabs defaultValue="curl">
          <Tabs.List aria-label={t("api.howLanguage")}>
            {LANGUAGES.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map(({ value }) => {
            const code = snippet(value, example);
            return (
              <Tabs.Panel key={value} value={value} className={classes.panel}>
                <pre className={classes.code}>{code}</pre>
                <Button
                  className={classes.copy}
                  size="compact-sm"
                  variant="default"
                  leftSection={<Copy size={14} aria-hidden="true" />}
                  onClick={() => void copy(code)}
                >
                  {t("api.copyCode")}
                </Button>
              </Tabs.Panel>
            );
          })}
        </Tabs>
        <p className={classes.small}>{t("api.howLimits")}</p>
      </Stack>
    </Dialog>
  );
}
