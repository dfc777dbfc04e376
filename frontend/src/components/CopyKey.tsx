/** An API key in a monospaced font, with a copy button. */
import { Group } from "@mantine/core";
import { t } from "../lib/i18n.api";
import { CopyButton } from "./CopyButton";
import classes from "./CopyKey.module.css";

export function CopyKey({ apikey, onCopied }: { apikey: string; onCopied: () => void }) {
  return (
    <Group component="span" display="inline-flex" wrap="nowrap" gap="var(--s-1)" className={classes.key}>
      <code>{apikey}</code>
      <CopyButton text={apikey} label={t("api.copyOf", { key: apikey })} onCopied={onCopied} />
    </Group>
  );
}
