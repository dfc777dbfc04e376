/** The documentation of the look-up API, with programs that run unchanged. */
import { Box, Stack, Tabs, Text } from "@mantine/core";
import { toast } from "../../../shared/toasts";
import { config, profileHost } from "../../api/config";
import { Code } from "../../components/ui/Code";
import { Dialog } from "../../components/ui/Dialog";
import { t } from "../../lib/i18n.api";
import { LANGUAGES, snippet, testPerson } from "../../domain/snippets";
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

export function HowToUse({ apikey, opened, onClose }: Props) {
  const origin = config().publicurl || window.location.origin;
  const example = { origin, apikey: apikey || "YOUR_API_KEY", linkedinurl: testPerson(profileHost()) };
  return (
    <Dialog opened={opened} onClose={onClose} size="xl" title={t("api.howTitle")}>
      <Stack>
        <p>{t("api.howText")}</p>
        <Code code={`GET ${origin}/api/v2/keylookup`} />
        <div>
          <Box component="p" mb="var(--s-1)" fz="sm" fw="var(--fw-500)" lh="sm">{t("api.howParameters")}</Box>
          <Stack component="dl" gap="var(--s-1)" m={0} className={classes.parameters}>
            {PARAMETERS.map(([name, text]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </Stack>
        </div>
        <Tabs defaultValue="curl">
          <Tabs.List aria-label={t("api.howLanguage")}>
            {LANGUAGES.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map(({ value, label }) => (
            <Tabs.Panel key={value} value={value} className={classes.panel}>
              <Code code={snippet(value, example)} head={label} copy={t("api.copyCode")} onCopied={() => toast(t("copied"))} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <Text c="dimmed" size="sm">{t("api.howLimits")}</Text>
      </Stack>
    </Dialog>
  );
}
