/** Search by profile URL: the question on the left, the answer on the right. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ListPlus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { profileHost } from "../../api/config";
import { type Asked, searchContact } from "../../api/contacts";
import { fieldErrors } from "../../api/explain";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";
import { profileUrl } from "../../domain/profileurl";
import { type Boxes, type SearchErrors, SearchForm } from "./SearchForm";
import { SearchResult } from "./SearchResult";
import classes from "./Search.module.css";

const NOTHING: Asked = { linkedinurl: "", phone: false, business: false, personal: false, run: 0 };
const NONE: Boxes = { phone: false, business: false, personal: false };

export function SearchScreen() {
  const [boxes, setBoxes] = useState(NONE);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [errors, setErrors] = useState<SearchErrors>({});
  const answer = useQuery({ ...searchContact(asked ?? NOTHING), enabled: asked !== null });
  // What the server refuses about the address is said where the app itself says it.
  const refused = fieldErrors(answer.error)["linkedinurl"];

  const ask = (linkedinurl: string, wanted: Boxes) =>
    setAsked((last) => ({ linkedinurl, ...wanted, run: (last?.run ?? 0) + 1 }));

  const search = (text: string) => {
    const url = profileUrl(text, profileHost());
    if (!hasAny(boxes)) return setErrors({ options: t("search.chooseOptions") });
    if (!url) return setErrors({ url: t("search.wrongUrl") });
    setErrors({});
    ask(url, boxes);
  };

  const tick = (changed: Boxes) => {
    setBoxes(changed);
    setErrors(({ url }) => ({ url }));
    if (asked && hasAny(changed)) ask(asked.linkedinurl, changed);
  };
  const type = () => {
    setErrors(({ options }) => ({ options }));
    if (refused) setAsked(null);
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
        <SearchForm boxes={boxes} errors={{ url: refused, ...errors }} onTick={tick} onSearch={search} onType={type} />
        <section className={classes.result} aria-live="polite" aria-label={t("search.results")}>
          <SearchResult asked={refused ? null : asked} answer={answer} />
        </section>
      </div>
    </>
  );
}

const hasAny = (boxes: Boxes) => boxes.phone || boxes.business || boxes.personal;

export { SearchScreen as Component };
