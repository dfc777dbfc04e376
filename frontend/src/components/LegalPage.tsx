/** A legal text as a page of its own. */
import { type TextKey, t } from "../lib/i18n.dashboard";
import type { Document } from "../domain/legal";
import classes from "./LegalPage.module.css";
import { LegalText } from "./LegalText";
import { Title } from "./Title";
import { Card } from "./ui/Card";

export const LEGAL_TITLES: Record<Document, TextKey> = {
  privacy: "legal.privacy",
  terms: "legal.terms",
  chrome: "legal.chrome",
};

export function LegalPage({ document, brand }: { document: Document; brand: string }) {
  const title = t(LEGAL_TITLES[document]);
  return (
    <>
      <Title text={title} />
      <h1 className={classes.title}>{title}</h1>
      <Card>
        <LegalText document={document} brand={brand} />
      </Card>
    </>
  );
}
