/** People Search: filters on the left, matching people with their revealed values next to them. */
import { Button, Group, Stack } from "@mantine/core";
import { UsersRound } from "lucide-react";
import { useMemo } from "react";
import { firstPage } from "../../api/people";
import { CopyAs } from "../../components/CopyAs";
import { Empty } from "../../components/Empty";
import { Page } from "../../components/ui/Page";
import { type Asked, PEOPLE_FIELDS, isAsked, peopleFilters } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import { FoundPeople, RevealFirst, useFoundPeople } from "../person/FoundPeople";
import { Filters } from "./Filters";
import classes from "./PeopleSearch.module.css";
import { SavedSearches } from "./SavedSearches";
import { useAsked } from "./useAsked";

export function PeopleSearchScreen() {
  const [asked, change] = useAsked(PEOPLE_FIELDS);
  const filters = useMemo(() => peopleFilters(asked), [asked]);
  const active = isAsked(asked);
  const found = useFoundPeople(filters);
  const { meta, picked } = found;
  const ask = (part: Partial<Asked>) => {
    picked.clear();
    change(part);
  };
  return (
    <Page
      title={t("menu.peoplesearch")}
      lead={t("people.lead")}
      actions={
        <>
          <CopyAs call="searchpeople" body={firstPage(filters)} />
          <SavedSearches kind="people" fields={PEOPLE_FIELDS} filters={active ? filters : null} onOpen={ask} />
        </>
      }
    >
      <div className={classes.columns}>
        <Filters asked={asked} fields={PEOPLE_FIELDS} search={{ people: filters }} nameLabel={t("people.name")} onChange={ask} />
        <Stack component="section" gap="sm" miw={0} aria-label={t("search.results")}>
          <Group component="header" justify="space-between" gap="xs" c="dimmed" role="presentation">
            {!active && <Tries onAsk={ask} />}
            <p role="status">{meta && t(meta.estimated ? "people.about" : "people.count", { count: meta.count })}</p>
            {active && <RevealFirst found={found} />}
          </Group>
          <FoundPeople
            found={found}
            label={t("menu.peoplesearch")}
            order={asked.order}
            onOrder={(order) => change({ order })}
            empty={<Empty card icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={t("people.noneText")} />}
          />
        </Stack>
      </div>
    </Page>
  );
}

const term = (value: string) => [{ value, not: false }];

/** Common searches to start with. */
function Tries({ onAsk }: { onAsk: (part: Partial<Asked>) => void }) {
  const asks: { text: string; terms: Asked["terms"] }[] = [
    { text: t("people.tryHeads"), terms: { function: term("sales"), seniority: ["head", "director", "vp"].flatMap(term) } },
    { text: t("people.tryChiefs"), terms: { seniority: term("c_suite"), has: term("directdial") } },
    { text: t("people.tryEngineers"), terms: { function: term("engineering"), country: term("DEU") } },
  ];
  return (
    <Group flex="0 1 100%" align="stretch" gap="xs">
      {asks.map(({ text, terms }) => (
        <Button key={text} variant="default" size="compact-sm" radius="xl" onClick={() => onAsk({ terms })}>
          {text}
        </Button>
      ))}
    </Group>
  );
}

export { PeopleSearchScreen as Component };
