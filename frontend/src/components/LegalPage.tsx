/** A legal text as its own page. */
import { type TextKey, t } from "../lib/i18n.dashboard";
import { type Document, legalSections } from "../domain/legal";
import classes from "./LegalPage.module.css";
import { LegalText } from "./LegalText";
import text from "./LegalText.module.css";
import type { ReactNode } from "react";
import { Page } from "./ui/Page";

export const LEGAL_TITLES: Record<Document, TextKey> = {
  privacy: "legal.privacy",
  terms: "legal.terms",
  chrome: "legal.chrome",
  trust: "legal.trust",
};

export interface Further {
  heading: string;
  content: ReactNode;
}

/** `further`: sections that follow those of the text. */
export function LegalPage({ document, brand, further = [] }: { document: Document; brand: string; further?: Further[] }) {
  const title = t(LEGAL_TITLES[document]);
  const written = legalSections(document);
  return (
    <Page title={title} lead={t("legal.updated")} width="doc">
      <nav className={classes.contents} aria-label={t("legal.contents")}>
        <ul>
          {[...written, ...further].map(({ heading }, index) => (
            <li key={heading}>
              <a href={`#section-${index + 1}`}>{heading}</a>
            </li>
          ))}
        </ul>
      </nav>
      <LegalText document={document} brand={brand} />
      {further.length > 0 && (
        <div className={text.text}>
          {further.map(({ heading, content }, index) => (
            <section key={heading} id={`section-${written.length + index + 1}`}>
              <h2>{heading}</h2>
              {content}
            </section>
          ))}
        </div>
      )}
    </Page>
  );
}
