/** One request with the reader's own key, ready to paste into a terminal, and the way to the reference. */
import { Anchor, Button } from "@mantine/core";
import { Copy, ExternalLink } from "lucide-react";
import { config, profileHost } from "../../api/config";
import { snippet } from "../../domain/snippets";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import classes from "./Api.module.css";

export function QuickStart({ apikey }: { apikey: string }) {
  const origin = config().publicurl || window.location.origin;
  const code = snippet("curl", { origin, apikey: apikey || "YOUR_API_KEY", linkedinurl: `https://www.${profileHost()}/in/john-doe` });
  const copy = async () => {
    await copyText(code);
    toast(t("copied"));
  };
  return (
    <section className={classes.quick} aria-label={t("api.quick")}>
      <div>
        <h2>{t("api.quick")}</h2>
        <p>{apikey ? t("api.quickText") : t("api.quickNone")}</p>
        <Anchor href="/api/docs#getKeylookup" target="_blank" rel="noopener" fw={500}>
          {t("api.reference")} <ExternalLink size={14} strokeWidth={1.75} aria-hidden="true" />
        </Anchor>
      </div>
      <div className={classes.snippet}>
        <pre className={classes.code}>{code}</pre>
        <Button
          size="compact-sm"
          variant="default"
          className={classes.copy}
          leftSection={<Copy size={14} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => void copy()}
        >
          {t("api.copyQuick")}
        </Button>
      </div>
    </section>
  );
}
