/** The secret of a webhook, with a copy button. */
import { Group, Stack } from "@mantine/core";
import { toast } from "../../../shared/toasts";
import { CopyButton } from "../../components/CopyButton";
import keys from "../../components/CopyKey.module.css";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n.api";
import classes from "./Webhooks.module.css";

export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Stack>
      <p>{t("webhooks.secretText")}</p>
      <Group component="span" display="inline-flex" wrap="nowrap" gap="var(--s-1)" className={keys.key}>
        <code className={classes.url}>{secret}</code>
        <CopyButton text={secret} label={t("webhooks.secretCopy")} onCopied={() => toast(t("copied"))} />
      </Group>
      {/* The second click of a double click would close it. */}
      <BusyButton onClick={onClose}>{t("webhooks.done")}</BusyButton>
    </Stack>
  );
}
