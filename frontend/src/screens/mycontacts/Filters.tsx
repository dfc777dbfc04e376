/** The row above the list: search, filter chips, and view options. */
import { Checkbox, Group, NativeSelect, Popover, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, memo } from "react";
import { isOwner, useAccount } from "../../api/account";
import { myTags } from "../../api/contacts";
import { team } from "../../api/team";
import { FilterChip } from "../../components/ui/FilterChip";
import { Toolbar } from "../../components/ui/Toolbar";
import { SearchBox } from "../../components/ui/SearchBox";
import { t } from "../../lib/i18n.dashboard";
import classes from "./MyContacts.module.css";
import { type ChangeList, type ListParams, TEAM } from "./useListParams";
import { ViewOptions } from "./ViewOptions";

const DEBOUNCE_MS = 500;
const DAYS = [7, 30, 90];
const HAS = [
  ["phone", "kind.phone"],
  ["email", "kind.business"],
  ["personal", "kind.personal"],
] as const;

interface Props {
  shown: ListParams;
  change: ChangeList;
  end: ReactNode;
}

export function Filters({ shown, change, end }: Props) {
  return (
    <Toolbar
      label={t("contacts.filters")}
      end={
        <>
          <View shown={shown} change={change} />
          {end}
        </>
      }
      below={<Controls shown={shown} change={change} />}
    >
      <SearchBox delay={DEBOUNCE_MS} className={classes.search} label={t("contacts.searchLabel")} placeholder={t("contacts.searchPlaceholder")} text={shown.text} onSearch={(text) => change({ text, page: 1 })} />
    </Toolbar>
  );
}

type ControlProps = Omit<Props, "end">;

// Memoised, because a tick in the list changes only the buttons at the end.
const View = memo(ViewOptions);

const Controls = memo(function Controls({ shown, change }: ControlProps) {
  return (
    <Group align="stretch" gap="xs" className={classes.chips}>
      <Has shown={shown} change={change} />
      <FilterChip pressed={shown.verified} onChange={(verified) => change({ verified, page: 1 })}>
        {t("contacts.isVerified")}
      </FilterChip>
      <ByWhom by={shown.by} onChange={(by) => change({ by, page: 1 })} />
      <ByTag tag={shown.tag} onChange={(tag) => change({ tag, page: 1 })} />
      <NativeSelect
        size="sm"
        flex="none" w="auto" maw={200} className={classes.choice}
        aria-label={t("contacts.since")}
        data={[{ value: "0", label: t("contacts.anyTime") }, ...DAYS.map((days) => ({ value: String(days), label: t("home.lastDays", { days }) }))]}
        value={String(shown.days)}
        onChange={(event) => change({ days: Number(event.currentTarget.value), page: 1 })}
      />
    </Group>
  );
});

/** The kinds of data that a contact has. */
function Has({ shown, change }: ControlProps) {
  const chosen = HAS.filter(([name]) => shown[name]).map(([, text]) => t(text));
  return (
    <Popover position="bottom-start" withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <FilterChip pressed={chosen.length > 0} opens>
          {t("contacts.has")} {chosen.join(", ")}
        </FilterChip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("contacts.has")}>
        <Stack gap="var(--s-3)">
          {HAS.map(([name, text]) => (
            <Checkbox key={name} label={t(text)} checked={shown[name]} onChange={(event) => change({ [name]: event.currentTarget.checked, page: 1 })} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Filter by member, for the owner only: other users see only their own contacts. */
function ByWhom({ by, onChange }: { by: ListParams["by"]; onChange: (by: ListParams["by"]) => void }) {
  const owns = isOwner(useAccount());
  const members = useQuery({ ...team, enabled: owns });
  // An account with one user has one list, but a link may have opened the account's.
  if (!owns || !members.data || (members.data.resource.length < 2 && by === 0)) return null;
  return (
    <NativeSelect
      size="sm"
      flex="none" w="auto" maw={200} className={classes.choice}
      aria-label={t("contacts.revealedBy")}
      data={[{ value: "0", label: t("contacts.mine") }, { value: TEAM, label: t("contacts.anyone") }, ...members.data.resource.map(({ appuserid, name }) => ({ value: String(appuserid), label: name }))]}
      value={String(by)}
      onChange={({ currentTarget: { value } }) => onChange(value === TEAM ? TEAM : Number(value))}
    />
  );
}

/** Filter by one of the user's own tags; hidden if there are none. */
function ByTag({ tag, onChange }: { tag: string; onChange: (tag: string) => void }) {
  const tags = useQuery(myTags).data ?? [];
  const options = tag === "" || tags.includes(tag) ? tags : [tag, ...tags];
  if (options.length === 0) return null;
  return (
    <NativeSelect
      size="sm"
      flex="none" w="auto" maw={200} className={classes.choice}
      aria-label={t("contacts.tag")}
      data={[{ value: "", label: t("contacts.anyTag") }, ...options]}
      value={tag}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
