/** Search by profile URL: the question on the left, the answer on the right. */
import { Button } from "@mantine/core";
import { ListPlus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import type { Asked } from "../../api/contacts";
import { profileHost } from "../../api/config";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n";
import { profileUrl } from "../../lib/profileurl";
import { type Boxes, SearchForm } from "./SearchForm";
import { SearchResult } from "./SearchResult";
import classes from "./Search.module.css";

const NONE: Boxes = { phone: false, business: false, personal: false };

export function SearchScreen() {
  const [boxes, setBoxes] = useState(NONE);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [error, setError] = useState<string | null>(null);

  const ask = (linkedinurl: string, wanted: Boxes) =>
    setAsked((last) => ({ linkedinurl, ...wanted, run: (last?.run ?? 0) + 1 }));

  const search = (text: string) => {
    const url = profileUrl(text, profileHost());
    const problem = hasAny(boxes) ? (url ? null : t("search.wrongUrl")) : t("search.chooseOptions");
    setError(problem);
    if (url && !problem) ask(url, boxes);
  };

  const tick = (changed: Boxes) => {
    setBoxes(changed);
    if (asked && hasAny(changed)) ask(asked.linkedinurl, changed);
  };

  return (
    <>
      <Title text={t("search.title")} />
      <div className={classes.head}>
        <div>
          <h1>{t("search.title")}</h1>
          <p>{t("search.lead")}</p>
        </div>
        <Button component={Link} to="/dashboard/main/bulklookup" variant="default" leftSection={<ListPlus size={17} aria-hidden="true" />}>
          {t("bulk.open")}
        </Button>
      </div>
      <div className={classes.panes}>
        <SearchForm boxes={boxes} error={error} onTick={tick} onSearch={search} onType={() => setError(null)} />
        <section className={classes.result} aria-live="polite" aria-label={t("search.results")}>
          <SearchResult asked={asked} />
        </section>
      </div>
    </>
  );
}

const hasAny = (boxes: Boxes) => boxes.phone || boxes.business || boxes.personal;

export { SearchScreen as Component };
