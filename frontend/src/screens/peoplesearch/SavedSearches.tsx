/** Saved searches: opens one, with the number of people added since, and saves the current one. */
import { Box, Button, Checkbox, Popover, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { markSeen, savedSearches, searchNews } from "../../api/people";
import { useTableDelete, useTableWrite } from "../../api/tables";
import { IconButton } from "../../components/ui/IconButton";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Asked, type Field, askedOf } from "../../domain/peoplefilter";
import { t } from "../../lib/i18n.people";
import classes from "./PeopleSearch.module.css";

interface Props {
  kind: "people" | "companies";
  fields: readonly Field[];
  /** The filters to save; null if there are none. */
  filters: object | null;
  onOpen: (asked: Asked) => void;
}

const rejected = (error: unknown) => toast(explain(error), "bad");

export function SavedSearches({ kind, fields, filters, onOpen }: Props) {
  const saved = useQuery({ ...savedSearches(kind), retry: false }).data?.resource ?? [];
  const news = useQuery({ ...searchNews, enabled: saved.length > 0 }).data;
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const keep = useTableWrite("savedsearch", { method: "POST", stale: ["savedsearch", "searchnews"] });
  const remove = useTableDelete("savedsearch");
  const open = (savedsearchid: number, stored: Record<string, unknown>) => {
    setOpened(false);
    onOpen(askedOf(stored, fields));
    markSeen(savedsearchid).then(() => queries.invalidateQueries({ queryKey: searchNews.queryKey }), () => undefined);
  };
  const newOf = (id: number) => news?.find(({ savedsearchid }) => savedsearchid === id)?.new ?? 0;
  const total = saved.reduce((sum, { savedsearchid }) => sum + newOf(savedsearchid), 0);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="sm" leftSection={<Bookmark size={16} strokeWidth={1.75} aria-hidden="true" />} aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {t("people.saved")}
          {total > 0 && <Box component="span" flex="none" py={0} px="xs" bdrs="var(--r-pill)" bg="var(--accent-soft)" c="var(--accent)" fz="xs" lh="sm" className={classes.news}>{t("people.news", { count: total })}</Box>}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("people.saved")}>
        <div className={classes.savedBox}>
          {saved.length === 0 && <Text c="dimmed" size="sm">{t("people.noSaved")}</Text>}
          <ul className={classes.savedList}>
            {saved.map(({ savedsearchid, name: title, filters: stored }) => (
              <li key={savedsearchid}>
                <button type="button" onClick={() => open(savedsearchid, stored)}>
                  <span>{title}</span>
                  {newOf(savedsearchid) > 0 && <Box component="span" flex="none" py={0} px="xs" bdrs="var(--r-pill)" bg="var(--accent-soft)" c="var(--accent)" fz="xs" lh="sm" className={classes.news}>{t("people.news", { count: newOf(savedsearchid) })}</Box>}
                </button>
                <IconButton aria-label={t("people.dropSearch", { name: title })} onClick={() => remove.mutate(savedsearchid, { onError: rejected })}>
                  <Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />
                </IconButton>
              </li>
            ))}
          </ul>
          {filters && (
            <form
              className={classes.keep}
              onSubmit={(event) => {
                event.preventDefault();
                keep.mutate(
                  { name: name.trim(), kind, filters, shared: shared ? 1 : 0 },
                  {
                    onSuccess: () => {
                      setName("");
                      setOpened(false);
                      toast(t("people.kept"));
                    },
                    onError: rejected,
                  },
                );
              }}
            >
              <TextInput size="sm" label={t("people.keepAs")} value={name} maxLength={100} onChange={(event) => setName(event.currentTarget.value)} />
              <Checkbox label={t("people.shared")} checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
              <BusyButton type="submit" size="sm" busy={keep.isPending} disabled={name.trim() === ""}>
                {t("people.keep")}
              </BusyButton>
            </form>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
