/** The user's tags and note on a contact. */
import { Group, Skeleton, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { metaOf, useKeepMeta } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { ContactMeta } from "../../api/types";
import { Problem } from "../../components/Problem";
import { BusyButton } from "../../components/ui/BusyButton";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.dashboard";
import { ContactTags } from "./ContactTags";
import classes from "./PersonDrawer.module.css";

const LONGEST_NOTE = 1000;

const noneOf = (contactid: number): ContactMeta => ({ contactid, tags: [], note: "" });
const rejected = (error: unknown) => toast(explain(error), "bad");

export function ContactNotes({ contactid }: { contactid: number }) {
  const kept = useQuery(metaOf(contactid));
  return (
    <section className={classes.notes} aria-label={t("contacts.notes")}>
      {kept.isPending && <Skeleton height={96} />}
      {kept.isError && <Problem text={explain(kept.error)} retry={kept.refetch} />}
      {kept.isSuccess && <NotesForm key={contactid} kept={kept.data.resource[0] ?? noneOf(contactid)} />}
    </section>
  );
}

function NotesForm({ kept }: { kept: ContactMeta }) {
  const { contactid } = kept;
  const [note, setNote] = useState(kept.note);
  const queries = useQueryClient();
  const tagging = useKeepMeta(kept);
  const noting = useKeepMeta(kept);

  // Undo may come later than other changes, and when the drawer is closed.
  const changeTags = (next: (tags: string[]) => string[]) => {
    const stored = queries.getQueryData(metaOf(contactid).queryKey);
    if (!stored) return;
    const { tags, note: storedNote } = stored.resource[0] ?? noneOf(contactid);
    tagging.mutateAsync({ tags: next(tags), note: storedNote }).catch(rejected);
  };
  const submit = () => noting.mutateAsync({ tags: kept.tags, note }).then(() => toast(t("contacts.notesSaved")), rejected);
  return (
    <>
      <ContactTags tags={kept.tags} change={changeTags} />
      <Form gap="sm" onSubmit={submit}>
        <Textarea label={t("contacts.note")} rows={3} maxLength={LONGEST_NOTE} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
        <Group wrap="nowrap" justify="space-between" gap={0} mih="var(--control-sm)" c="var(--text-3)" fz="xs" lh="xs">
          <span>{t("contacts.notesPrivate")}</span>
          {(note !== kept.note || noting.isPending) && (
            <BusyButton type="submit" size="sm" busy={noting.isPending}>
              {t("contacts.saveNotes")}
            </BusyButton>
          )}
        </Group>
      </Form>
    </>
  );
}
