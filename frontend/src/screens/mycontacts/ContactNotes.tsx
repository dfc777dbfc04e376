/** The own tags and note on a contact. */
import { Skeleton, TextInput, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { metaOf, useKeepMeta } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { ContactMeta } from "../../api/types";
import { Problem } from "../../components/Problem";
import { BusyButton } from "../../components/ui/BusyButton";
import { areTags, tagsOf } from "../../domain/tags";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import classes from "./MyContacts.module.css";

const LONGEST_NOTE = 1000;

export function ContactNotes({ contactid }: { contactid: number }) {
  const kept = useQuery(metaOf(contactid));
  return (
    <section className={classes.notes} aria-label={t("contacts.notes")}>
      {kept.isPending && <Skeleton height={96} />}
      {kept.isError && <Problem text={explain(kept.error)} retry={kept.refetch} />}
      {kept.isSuccess && <Form key={contactid} kept={kept.data.resource[0] ?? { contactid, tags: [], note: "" }} />}
    </section>
  );
}

function Form({ kept }: { kept: ContactMeta }) {
  const [tags, setTags] = useState(kept.tags.join(", "));
  const [note, setNote] = useState(kept.note);
  const keep = useKeepMeta();
  const typed = tagsOf(tags);
  const fits = areTags(typed);
  const isChanged = note !== kept.note || typed.join() !== kept.tags.join();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!fits) return;
    keep.mutate(
      { contactid: kept.contactid, tags: typed, note },
      { onSuccess: () => toast(t("contacts.notesSaved")), onError: (error) => toast(explain(error), "bad") },
    );
  };
  return (
    <form className={classes.notesForm} onSubmit={submit} noValidate>
      <TextInput
        label={t("contacts.tags")}
        description={t("contacts.tagsHint")}
        value={tags}
        error={fits ? null : t("contacts.tagsWrong")}
        onChange={(event) => setTags(event.currentTarget.value)}
      />
      <Textarea label={t("contacts.note")} rows={3} maxLength={LONGEST_NOTE} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      <div className={classes.notesFoot}>
        <span>{t("contacts.notesPrivate")}</span>
        {isChanged && (
          <BusyButton type="submit" size="sm" busy={keep.isPending} disabled={!fits}>
            {t("contacts.saveNotes")}
          </BusyButton>
        )}
      </div>
    </form>
  );
}
