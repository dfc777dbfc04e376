/** Search by profile URL: the bar, the result and earlier lookups. */
import { Box, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { History, ListPlus } from "lucide-react";
import { useEffect, useState } from "react";
import { useAccount } from "../../api/account";
import { profileHost } from "../../api/config";
import { type Asked, searchContact } from "../../api/contacts";
import { fieldErrors } from "../../api/explain";
import { Page } from "../../components/ui/Page";
import { useAsk } from "../../api/ask";
import { readAsk } from "../../domain/ask";
import { profileUrl } from "../../domain/profileurl";
import { hasHidden } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { lookedUp, useRecent } from "../../stores/recent";
import classes from "./Search.module.css";
import { SearchForm } from "./SearchForm";
import { SearchResult } from "./SearchResult";
import { type Boxes, type SearchErrors, useQuestion } from "./useQuestion";
import { PersonLinks } from "../../components/PersonLinks";
import { ButtonLink } from "../../components/ui/ButtonLink";

const NOTHING: Asked = { linkedinurl: "", phone: false, business: false, personal: false, run: 0 };

export function SearchScreen() {
  const { asked, boxes, ask, tick } = useQuestion();
  const [errors, setErrors] = useState<SearchErrors>({});
  const [dropped, setDropped] = useState<Asked | null>(null);
  const answer = useQuery({ ...searchContact(asked ?? NOTHING), enabled: asked !== null });
  // An address that the server rejects is reported where the app reports its own errors, until it is edited.
  const rejected = isSame(asked, dropped) ? undefined : fieldErrors(answer.error)["linkedinurl"];
  const found = answer.data?.[0];
  const other = useAsk();
  useRemembered(asked, found);

  const search = (text: string) => {
    const url = profileUrl(text, profileHost());
    if (readAsk(text, profileHost()).kind === "profiles") return void other(text);
    if (!hasAny(boxes)) return setErrors({ options: t("search.chooseOptions") });
    if (!url) {
      const read = readAsk(text, profileHost());
      return setErrors({ url: t("search.wrongUrl"), ...(read.kind === "name" && { name: read.text }) });
    }
    setErrors({});
    if (!answer.isFetching || url !== asked?.linkedinurl) ask(url);
  };
  const change = (changed: Boxes) => {
    setErrors(({ url }) => ({ url }));
    tick(changed);
  };
  const type = () => {
    setErrors(({ options }) => ({ options }));
    if (rejected) setDropped(asked);
  };
  const isOpen = asked !== null && !rejected && !isSame(asked, dropped);

  return (
    <Box w="100%" maw="var(--ask-w)" mx="auto">
      <Page
        title={t("search.title")}
        lead={t("search.lead")}
        actions={
          <ButtonLink to="/dashboard/main/bulklookup" variant="default" size="sm" leftSection={<ListPlus size={16} strokeWidth={1.75} aria-hidden="true" />}>
            {t("search.many")}
          </ButtonLink>
        }
      >
        <SearchForm
          url={asked?.linkedinurl ?? ""}
          boxes={boxes}
          errors={{ url: rejected, ...errors }}
          quiet={found !== undefined && hasHidden(found)}
          onTick={change}
          onSearch={search}
          onType={type}
        />
        <section className={classes.result} aria-live="polite" aria-label={t("search.results")}>
          <SearchResult asked={isOpen ? asked : null} answer={answer} />
        </section>
        <RecentLookups />
      </Page>
    </Box>
  );
}

const hasAny = (boxes: Boxes) => boxes.phone || boxes.business || boxes.personal;
const isSame = (one: Asked | null, other: Asked | null) => one !== null && one.run === other?.run;

/** Add the person found to the recent lookups. */
function useRemembered(asked: Asked | null, found: { full_name: string; title?: string | null; company?: string | null } | undefined): void {
  const { appuserid } = useAccount();
  const url = asked?.linkedinurl;
  const name = found?.full_name;
  const about = [found?.title, found?.company].filter(Boolean).join(" · ");
  useEffect(() => {
    if (url && name) lookedUp(appuserid, { url, name, about });
  }, [appuserid, url, name, about]);
}

/** The last lookups as links that search again. */
function RecentLookups() {
  const lookups = useRecent(useAccount().appuserid);
  if (lookups.length === 0) return null;
  const links = lookups.map(({ url, name, about }) => ({ to: `?url=${encodeURIComponent(url)}`, name, about: about || url }));
  return (
    <section aria-labelledby="recent">
      <Group id="recent" component="h2" wrap="nowrap" gap="xs" mb="xs" c="dimmed" fz="sm" fw="var(--fw-500)" lts={0} lh="sm">
        <History size={16} strokeWidth={1.75} aria-hidden="true" />
        {t("search.recent")}
      </Group>
      <PersonLinks people={links} preventScrollReset />
    </section>
  );
}

export { SearchScreen as Component };
