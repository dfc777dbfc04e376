/** The groups of the palette of the desk: a client to find, recently opened clients, pages and actions. */
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { BookOpen, Building2, Keyboard, Moon, ScanSearch, Sun } from "lucide-react";
import { type Command, matching } from "../../app/layout/commands";
import type { Group } from "../../app/layout/PaletteDialog";
import { t as common } from "../../lib/i18n.dashboard";
import { t } from "../../lib/i18n.desk";
import { PAGES } from "./pages";
import { recentClients } from "./recent";

/** The page of the documentation about the desk. */
export const GUIDE = "/docs/guides/desk/";

export function useDeskCommands(typed: string, onShortcuts: () => void): Group[] {
  const dark = useComputedColorScheme() === "dark";
  const { setColorScheme } = useMantineColorScheme();
  const text = typed.trim();
  const find: Command[] = text ? [{ id: "find", text: t("find.named", { text }), icon: ScanSearch, to: `/desk?q=${encodeURIComponent(text)}` }] : [];
  const recent = recentClients().map(({ clientid, name }): Command => ({ id: `client-${clientid}`, text: name, hint: String(clientid), icon: Building2, to: `/desk/client/${clientid}` }));
  const pages = PAGES.map(({ to, text: name, icon, outside }): Command => ({ id: to, text: t(name), icon, ...(outside ? { run: () => window.location.assign(to) } : { to }) }));
  const actions: Command[] = [
    dark
      ? { id: "light", text: common("palette.toLight"), icon: Sun, run: () => setColorScheme("light") }
      : { id: "dark", text: common("palette.toDark"), icon: Moon, run: () => setColorScheme("dark") },
    { id: "guide", text: t("nav.guide"), icon: BookOpen, run: () => window.location.assign(GUIDE) },
    { id: "shortcuts", text: common("palette.shortcuts"), icon: Keyboard, run: onShortcuts },
  ];
  return [
    { name: t("nav.clients"), commands: find },
    { name: t("find.recent"), commands: matching(recent, typed) },
    { name: common("palette.screens"), commands: matching(pages, typed) },
    { name: common("palette.actions"), commands: matching(actions, typed) },
  ].filter(({ commands }) => commands.length > 0);
}
