/** The result: idle, loading, error, empty, or the contact. */
import { Button, Skeleton } from "@mantine/core";
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { ClipboardPaste, ScanSearch, SearchX } from "lucide-react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { config, isComing, profileHost } from "../../api/config";
import { type Asked, searchContact } from "../../api/contacts";
import { problemOf } from "../../api/explain";
import type { Found } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Examples } from "../../components/Examples";
import { Problem } from "../../components/Problem";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { useAsk } from "../../api/ask";
import { nameIn, namesPerson } from "../../domain/profileurl";
import { KINDS } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { ContactCard } from "./ContactCard";
import { Exhausted, hasNoCredit } from "./Exhausted";
import classes from "./Search.module.css";

interface Props {
  asked: Asked | null;
  answer: UseQueryResult<Found[]>;
}

export function SearchResult({ asked, answer }: Props) {
  if (!asked) return <Start />;
  return <Answer asked={asked} answer={answer} />;
}

/** Before a search; already explains a lack of credits here. */
function Start() {
  const me = useAccount();
  const ask = useAsk();
  return (
    <div className={classes.start}>
      {hasNoCredit(me) && <Exhausted title={t("search.exhausted")} />}
      <Empty
        icon={<ScanSearch size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("search.start")}
        text={t("search.buys")}
        action={<PasteButton onText={ask} onFailure={(reason) => toast(reason, "bad")} />}
      />
      <div className={classes.examples}>
        <Examples people={config().examples} />
      </div>
    </div>
  );
}

function Answer({ asked, answer }: Props & { asked: Asked }) {
  const queries = useQueryClient();

  if (answer.isPending) return <Fetching lines={KINDS.filter((kind) => asked[kind]).length} />;
  if (answer.isError) return <Problem {...problemOf(answer.error)} retry={answer.refetch} />;
  const [found] = answer.data;
  if (!found) return <NoMatch url={asked.linkedinurl} />;
  // Several reveals may return at once; each updates the current state.
  const change = (update: (shown: Found) => Found) =>
    queries.setQueryData(searchContact(asked).queryKey, (old) => old?.map((one) => update(one)));
  return <ContactCard key={found.linkedinurl} found={found} asked={asked} onChange={change} />;
}

/** Companies, posts and lists have addresses on the same host; the text then says which address is needed. */
function NoMatch({ url }: { url: string }) {
  return (
    <Empty
      icon={<SearchX size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={t("search.none")}
      text={t("search.noneText")}
      action={
        <>
          <p>{namesPerson(url) ? t("search.noneFree") : t("search.noPerson", { host: profileHost() })}</p>
          {namesPerson(url) && nameIn(url) && !isComing("peoplesearch") && (
            <ButtonLink to={`/dashboard/main/peoplesearch?name=${encodeURIComponent(nameIn(url))}`} role="link" variant="default">
              {t("search.byName", { name: nameIn(url) })}
            </ButtonLink>
          )}
        </>
      }
    />
  );
}

/** A placeholder for the card. */
function Fetching({ lines }: { lines: number }) {
  return (
    <div className={classes.fetching}>
      <div className={classes.fetchingHead}>
        <Skeleton circle width={48} height={48} />
        <p>{t("search.fetching")}</p>
      </div>
      {KINDS.slice(0, lines).map((kind) => (
        <div key={kind} className={classes.fetchingLine}>
          <Skeleton width={120} height={12} />
          <Skeleton width="40%" height={12} />
        </div>
      ))}
    </div>
  );
}

/** Reads the clipboard into the search. Absent where the browser does not let a page read it. */
function PasteButton({ onText, onFailure }: { onText: (text: string) => boolean; onFailure: (reason: string) => void }) {
  if (typeof navigator.clipboard?.readText !== "function") return null;
  const paste = async () => {
    const text = await navigator.clipboard.readText().catch(() => null);
    if (text === null) onFailure(t("search.pasteBlocked"));
    else if (!onText(text)) onFailure(t("search.pasteNothing"));
  };
  return (
    <Button variant="default" size="sm" leftSection={<ClipboardPaste size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => void paste()}>
      {t("search.paste")}
    </Button>
  );
}
