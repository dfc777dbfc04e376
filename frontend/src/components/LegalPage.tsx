/** A legal text as its own page. */
import { type TextKey, t } from "../lib/i18n.dashboard";
import { type Document, legalSections } from "../domain/legal";
import classes from "./LegalPage.module.css";
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
      <nav className={classes.contents} aria-label={t("legal.contents")}>
        <ul>
          {legalSections(document).map(({ heading }, index) => (
            <li key={heading}>
              <a href={`#section-${index + 1}`}>{heading}</a>
            </li>
          ))}
        </ul>
      </nav>
      <LegalText document={document} brand={brand} />
      {children}
    </Page>
  );
}
