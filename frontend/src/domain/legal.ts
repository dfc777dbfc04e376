/** The legal documents in the language of the reader. */
import { language } from "../lib/language";
import { legal as english } from "../texts/en/legal";
import type { LegalDocument, LegalSection } from "../texts/shape";

export type { LegalDocument as Document };

/** The sections of a document; `{{brand}}` in their paragraphs is the name of this server. */
export const legalSections = (document: LegalDocument): readonly LegalSection[] => (language().legal ?? english)[document];
