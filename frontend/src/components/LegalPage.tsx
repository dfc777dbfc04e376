/** A legal text as a page of its own. */
import { type TextKey, t } from "../lib/i18n.dashboard";
import type { Document } from "../domain/legal";
import { LegalText } from "./LegalText";
import type { ReactNode } from "react";
import { Page } from "./ui/Page";

export const LEGAL_TITLES: Record<Document, TextKey> = {
  privacy: "legal.privacy",
  terms: "legal.terms",
  chrome: "legal.chrome",
  trust: "legal.trust",
};

/** `children` follow the text. */
export function LegalPage({ document, brand, children }: { document: Document; brand: string; children?: ReactNode }) {
  const title = t(LEGAL_TITLES[document]);
  return (
    <Page title={title} lead={t("legal.updated")} width="doc">
      <LegalText document={document} brand={brand} />
      {children}
    </Page>
  );
}
