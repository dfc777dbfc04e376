/** A legal text as a page of its own. */
import { type TextKey, t } from "../lib/i18n.dashboard";
import type { Document } from "../domain/legal";
import { LegalText } from "./LegalText";
import { Page } from "./ui/Page";

export const LEGAL_TITLES: Record<Document, TextKey> = {
  privacy: "legal.privacy",
  terms: "legal.terms",
  chrome: "legal.chrome",
};

export function LegalPage({ document, brand }: { document: Document; brand: string }) {
  const title = t(LEGAL_TITLES[document]);
  return (
    <Page title={title} lead={t("legal.updated")} width="doc">
      <LegalText document={document} brand={brand} />
    </Page>
  );
}
