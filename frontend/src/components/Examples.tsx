/** Sample people of the demo, for a visitor without a profile address. */
import { ArrowRight } from "lucide-react";
import { Link } from "react-router";
import { t } from "../lib/i18n.dashboard";
import classes from "./Examples.module.css";
import { NameAvatar } from "./NameAvatar";

interface Person {
  full_name: string;
  title: string;
  company: string;
  linkedinurl: string;
}

export function Examples({ people = [] }: { people: readonly Person[] | undefined }) {
  if (people.length === 0) return null;
  return (
    <section className={classes.examples} aria-label={t("search.examples")}>
      <p>{t("search.examples")}</p>
      <ul>
        {people.map(({ full_name, title, company, linkedinurl }) => (
          <li key={linkedinurl}>
            <Link to={`/dashboard/main/search?url=${encodeURIComponent(linkedinurl)}`}>
              <NameAvatar name={full_name} size={32} drawn />
              <span className={classes.who}>
                <strong>{full_name}</strong>
                <span>{`${title} · ${company}`}</span>
              </span>
              <ArrowRight size={16} strokeWidth={1.75} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
