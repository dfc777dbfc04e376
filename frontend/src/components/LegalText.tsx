/** One of the legal texts, section by section. */
import { Link } from "react-router";
import { type Document, legalSections } from "../domain/legal";
import classes from "./LegalText.module.css";

export function LegalText({ document, brand }: { document: Document; brand: string }) {
  return (
    <div className={classes.text}>
      {legalSections(document).map(({ heading, paragraphs, link }, index) => (
        <section key={heading} id={`section-${index + 1}`}>
          <h2>{heading}</h2>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph.replaceAll("{{brand}}", brand)}</p>
          ))}
          {link && (
            <p>
              <Link to={link.to}>{link.text}</Link>
            </p>
          )}
        </section>
      ))}
    </div>
  );
}
