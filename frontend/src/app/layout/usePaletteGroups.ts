/** The groups of the palette: recently used commands and actions; or for a text, a profile to look up, screens,
 contacts, teammates, actions and pages of the documentation. */
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { BookOpen, ScanSearch, UserRound, UsersRound } from "lucide-react";
import { isOwner, useAccount } from "../../api/account";
import { profileHost } from "../../api/config";
import { myContacts } from "../../api/contacts";
import { documentation } from "../../api/documentation";
import { team } from "../../api/team";
import { valuesOf } from "../../domain/contacts";
import { profileUrl } from "../../domain/profileurl";
import { t } from "../../lib/i18n.dashboard";
import { type Command, actions, matching, screens } from "./commands";
import { lastUsed } from "./lastused";
import type { Group } from "./PaletteDialog";

const DEBOUNCE_MS = 200;
const MOST = 6;
const MOST_PAGES = 4;

export function usePaletteGroups(typed: string, onShortcuts: () => void): Group[] {
  const me = useAccount();
  const dark = useComputedColorScheme() === "dark";
  const { setColorScheme } = useMantineColorScheme();
  const [text] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const url = profileUrl(typed, profileHost());
  const asks = text.length > 1 && !url;
  const contacts = useQuery({ ...myContacts({ page: 1, size: MOST, text }), enabled: asks });
  const docs = useQuery({ ...documentation, enabled: asks });
  const members = useQuery({ ...team, enabled: asks && isOwner(me) });

  const lookUp: Command[] = url
    ? [{ id: "lookup", text: t("palette.lookUp", { url }), hint: t("palette.price"), icon: ScanSearch, to: `/dashboard/main/search?url=${encodeURIComponent(url)}` }]
    : [];
  const found = asks ? (contacts.data?.resource ?? []) : [];
  const mates = asks ? (members.data?.resource ?? []) : [];
  const all = { screens: screens(me), actions: actions(me, setColorScheme, dark, onShortcuts) };
  const toGo = { name: t("palette.screens"), commands: url ? [] : matching(all.screens, typed) };
  const toDo = { name: t("palette.actions"), commands: url ? [] : matching(all.actions, typed) };
  const last = lastUsed().flatMap((id) => {
    const command = [...all.screens, ...all.actions].find((one) => one.id === id);
    return command ? [{ ...command, id: `last-${id}` }] : [];
  });
  const pages = (asks && docs.data ? docs.data(text) : []).slice(0, MOST_PAGES).map(({ location, title, path }) => ({
    id: `page-${location}`,
    text: title,
    hint: path.filter((part) => part !== title).at(-1) ?? "",
    icon: BookOpen,
    run: () => window.location.assign(`/docs/${location}`),
  }));
  return [
    { name: t("palette.profile"), commands: lookUp },
    ...(typed.trim() || url ? [toGo] : [{ name: t("palette.recent"), commands: last }, toDo, toGo]),
    {
      name: t("palette.contacts"),
      commands: found.slice(0, MOST).map((row) => {
        const { phones, business, personal } = valuesOf(row);
        const hint = business[0] ?? phones[0] ?? personal[0] ?? "";
        return { id: `contact-${row.contactid}`, text: row.name, hint, icon: UserRound, to: `/dashboard/main/mycontacts?search=${encodeURIComponent(row.name)}&contact=${row.contactid}` };
      }),
    },
    {
      name: t("palette.team"),
      commands: mates
        .filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(text.toLowerCase()))
        .slice(0, MOST)
        .map(({ appuserid, name, email }) => ({ id: `member-${appuserid}`, text: name, hint: email, icon: UsersRound, to: "/dashboard/settings/manageseats" })),
    },
    ...(typed.trim() ? [toDo] : []),
    { name: t("palette.documentation"), commands: pages },
  ].filter(({ commands }) => commands.length > 0);
}
