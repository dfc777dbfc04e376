/** The name of a company, which leads to its page unless this is it. */
import { Link, useLocation } from "react-router";
import { isComing } from "../../api/config";
import { countryName } from "../../lib/countryname";
import { companyPage } from "../../lib/links";
import classes from "./CompanyLink.module.css";

export function CompanyLink({ name }: { name: string }) {
  const to = companyPage(name);
  const here = useLocation().pathname === to;
  return !name || here || isComing("companysearch") ? name : <Link to={to} className={classes.link}>{name}</Link>;
}

type Work = Partial<Record<"title" | "company" | "country", string | undefined>>;

/** `Head of Sales · Acme · Germany`, without unknown parts. */
export function About({ title, company, country = "" }: Work) {
  const place = countryName(country);
  return (
    <>
      {title}
      {title && company && " · "}
      {company && <CompanyLink name={company} />}
      {(title || company) && place && " · "}
      {place}
    </>
  );
}
