/** The three legal texts as tabs; each can be opened as a separate page. */
import { Anchor, Group, Tabs } from "@mantine/core";
import { ExternalLink } from "lucide-react";
import { config } from "../../api/config";
import { LEGAL_TITLES } from "../../components/LegalPage";
import { LegalText } from "../../components/LegalText";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.dashboard";
import type { Document } from "../../domain/legal";
import classes from "./Privacy.module.css";

const PAGES: Record<Document, string> = {
  privacy: "/privacypolicy",
  terms: "/termsofuse",
  chrome: "/chromeprivacy",
  trust: "/trust",
};
const DOCUMENTS: Document[] = ["privacy", "terms", "chrome"];

export function PrivacyScreen() {
  return (
    <Page title={t("settings.privacy")} width="form">
      <Tabs defaultValue="privacy" keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs} aria-label={t("settings.privacy")}>
          {DOCUMENTS.map((document) => (
            <Tabs.Tab key={document} value={document}>
              {t(LEGAL_TITLES[document])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {DOCUMENTS.map((document) => (
          <Tabs.Panel key={document} value={document}>
            <Group component="p" justify="space-between" gap="var(--s-1) var(--s-4)" mb="lg" c="dimmed">
              {t("legal.updated")}
              <Anchor href={PAGES[document]} target="_blank" rel="noopener" size="sm" className={classes.open}>
                {t("legal.open")} <ExternalLink size={14} strokeWidth={1.75} aria-hidden="true" />
              </Anchor>
            </Group>
            <LegalText document={document} brand={config().brandname} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

export { PrivacyScreen as Component };
