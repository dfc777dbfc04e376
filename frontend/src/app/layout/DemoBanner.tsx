/** States on every page that the data is made up. */
import { Group } from "@mantine/core";
import { FlaskConical } from "lucide-react";
import { t } from "../../lib/i18n";
import classes from "./DemoBanner.module.css";

export function DemoBanner() {
  return (
    <Group component="section" wrap="nowrap" justify="center" gap="xs" className={classes.banner} aria-label={t("demo")}>
      <FlaskConical size={15} aria-hidden="true" />
      <span>
        {t("demoBanner")}
        <span className={classes.more}>{t("demoMore")}</span>
      </span>
      <a href="/sandbox/mail" target="_blank" rel="noopener">
        {t("demoMail")}
      </a>
    </Group>
  );
}
