/** The user's tags on a contact: each is saved as it is added or removed, and a removal can be undone. */
import { ActionIcon, Group, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { toastWithUndo } from "../../../shared/toasts";
import { myTags } from "../../api/contacts";
import { areTags, tagsOf } from "../../domain/tags";
import { t } from "../../lib/i18n.dashboard";
import classes from "./PersonDrawer.module.css";

interface Props {
  tags: string[];
  /** Changes the tags based on their current state. */
  change: (next: (tags: string[]) => string[]) => void;
}

export function ContactTags({ tags, change }: Props) {
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const known = useQuery(myTags).data ?? [];
  const more = tagsOf(typed);
  const fits = areTags([...new Set([...tags, ...more])]);

  const add = () => {
    if (!fits) return;
    setTyped("");
    if (more.some((tag) => !tags.includes(tag))) change((now) => [...new Set([...now, ...more])]);
  };
  const remove = (tag: string) => {
    const place = tags.indexOf(tag);
    change((now) => now.filter((one) => one !== tag));
    toastWithUndo(t("contacts.tagRemoved", { tag }), { undo: () => change((now) => (now.includes(tag) ? now : now.toSpliced(place, 0, tag))) });
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const last = tags.at(-1);
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      add();
    } else if (event.key === "Backspace" && typed === "" && last !== undefined) remove(last);
  };
  return (
    <Stack gap="xs">
      <TextInput
        ref={input}
        label={t("contacts.tags")}
        description={t("contacts.tagsHint")}
        placeholder={t("contacts.tagAdd")}
        list="mytags"
        value={typed}
        error={fits ? null : t("contacts.tagsWrong")}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
        onBlur={add}
      />
      <datalist id="mytags">
        {known.filter((tag) => !tags.includes(tag)).map((tag) => (
          <option key={tag} value={tag} aria-label={tag} />
        ))}
      </datalist>
      {tags.length > 0 && (
        <Group component="ul" align="stretch" gap="xs" className={classes.tags}>
          {tags.map((tag) => (
            <li key={tag}>
              <span>{tag}</span>
              <ActionIcon variant="transparent" color="gray" aria-label={t("contacts.tagRemove", { tag })} onClick={() => remove(tag)}>
                <X size={14} strokeWidth={1.75} aria-hidden="true" />
              </ActionIcon>
            </li>
          ))}
        </Group>
      )}
    </Stack>
  );
}
