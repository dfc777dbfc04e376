/** The result pane: idle, loading, error, empty, or the contact. */
import { Loader } from "@mantine/core";
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { ScanSearch, SearchX } from "lucide-react";
import { type Asked, searchContact } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { Found } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { t } from "../../lib/i18n.dashboard";
import { ContactCard } from "./ContactCard";
import classes from "./Search.module.css";

interface Props {
  asked: Asked | null;
  answer: UseQueryResult<Found[]>;
}

export function SearchResult({ asked, answer }: Props) {
  if (!asked) return <Empty icon={<ScanSearch size={30} aria-hidden="true" />} title={t("search.start")} />;
  return <Answer asked={asked} answer={answer} />;
}

function Answer({ asked, answer }: Props & { asked: Asked }) {
  const queries = useQueryClient();

  if (answer.isPending) {
    return (
      <div className={classes.fetching}>
        <Loader size="sm" />
        <span>{t("search.fetching")}</span>
      </div>
    );
  }
  if (answer.isError) {
    const requestId = answer.error instanceof ApiError ? answer.error.requestId : undefined;
    return <Problem text={explain(answer.error)} requestId={requestId} retry={answer.refetch} />;
  }
  const [found] = answer.data;
  if (!found) {
    return <Empty icon={<SearchX size={30} aria-hidden="true" />} title={t("search.none")} text={t("search.noneText")} />;
  }
  const change = (changed: Found) => queries.setQueryData(searchContact(asked).queryKey, [changed]);
  return <ContactCard found={found} asked={asked} onChange={change} />;
}
