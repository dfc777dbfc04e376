/** An API key in monospace, with a copy button. */
import { ActionIcon } from "@mantine/core";
import { Copy } from "lucide-react";
import { t } from "../lib/i18n.dashboard";
import classes from "./CopyKey.module.css";

export function CopyKey({ apikey, onCopy }: { apikey: string; onCopy: () => void }) {
  return (
    <span className={classes.key}>
      <code>{apikey}</code>
      <ActionIcon variant="subtle" color="gray" aria-label={t("api.copyOf", { key: apikey })} onClick={onCopy}>
        <Copy size={16} aria-hidden="true" />
      </ActionIcon>
    </span>
  );
}
