/** The last lookups as links that search again. */
import { History } from "lucide-react";
import { Link } from "react-router";
import { useAccount } from "../../api/account";
import { NameAvatar } from "../../components/NameAvatar";
import { t } from "../../lib/i18n.dashboard";
import { useRecent } from "../../stores/recent";
import classes from "./Search.module.css";

export function RecentLookups() {
  const lookups = useRecent(useAccount().appuserid);
  if (lookups.length === 0) return null;
  return (
    <section className={classes.recent} aria-labelledby="recent">
      <h2 id="recent" className={classes.recentTitle}>
        <History size={16} strokeWidth={1.75} aria-hidden="true" />
        {t("search.recent")}
      </h2>
      <ul>
        {lookups.map(({ url, name, about }) => (
          <li key={url}>
            <Link to={`?url=${encodeURIComponent(url)}`} preventScrollReset>
              <NameAvatar name={name} size={32} drawn />
              <span className={classes.who}>
                <strong>{name}</strong>
                <span>{about || url}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
