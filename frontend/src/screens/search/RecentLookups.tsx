/** The last lookups as links that search again. */
import { History } from "lucide-react";
import { useAccount } from "../../api/account";
import { PersonLinks } from "../../components/PersonLinks";
import { t } from "../../lib/i18n.dashboard";
import { useRecent } from "../../stores/recent";
import classes from "./Search.module.css";

export function RecentLookups() {
  const lookups = useRecent(useAccount().appuserid);
  if (lookups.length === 0) return null;
  const links = lookups.map(({ url, name, about }) => ({ to: `?url=${encodeURIComponent(url)}`, name, about: about || url }));
  return (
    <section aria-labelledby="recent">
      <h2 id="recent" className={classes.recentTitle}>
        <History size={16} strokeWidth={1.75} aria-hidden="true" />
        {t("search.recent")}
      </h2>
      <PersonLinks people={links} preventScrollReset />
    </section>
  );
}
