/** Details shown of a person besides the name. Pure. */
import { countryName } from "../lib/countryname";

interface Person {
  title: string;
  company: string;
  country: string;
}

/** `Head of Sales · Acme · Germany`, without unknown parts. */
export const aboutOf = ({ title, company, country }: Person): string => [title, company, countryName(country)].filter(Boolean).join(" · ");
