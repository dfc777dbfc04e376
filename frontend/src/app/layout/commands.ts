/** The entries of the palette that need no server: every screen, the colour scheme, the shortcuts. */
import {
  BookOpen,
  Building2,
  Coins,
  CreditCard,
  FileSpreadsheet,
  KeyRound,
  Keyboard,
  LayoutDashboard,
  ListChecks,
  ListPlus,
  Lock,
  type LucideIcon,
  Moon,
  Search,
  Sparkles,
  Sun,
  UserPlus,
  UserRound,
  Users,
  UsersRound,
} from "lucide-react";
import { isFreePlan, isOwner } from "../../api/account";
import { isComing } from "../../api/config";
import type { Account } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";

export interface Command {
  id: string;
  text: string;
  /** Shown in gray after the text. */
  hint?: string;
  icon: LucideIcon;
  /** The target address, or the action. */
  to?: string;
  run?: () => void;
}

const SHORT = 2;
const SETTINGS = "/dashboard/settings";

/** The screens that this user may open. */
export function screens(me: Account): Command[] {
  const all: (Command | false)[] = [
    { id: "dashboard", text: t("menu.dashboard"), icon: LayoutDashboard, to: "/dashboard/main/dashboardmain" },
    { id: "search", text: t("menu.search"), icon: Search, to: "/dashboard/main/search" },
    { id: "contacts", text: t("menu.mycontacts"), icon: Users, to: "/dashboard/main/mycontacts" },
    !isComing("peoplesearch") && { id: "people", text: t("menu.peoplesearch"), icon: UsersRound, to: "/dashboard/main/peoplesearch" },
    !isComing("companysearch") && { id: "companies", text: t("menu.companysearch"), icon: Building2, to: "/dashboard/main/companysearch" },
    !isComing("peoplesearch") && { id: "lists", text: t("menu.lists"), icon: ListChecks, to: "/dashboard/main/lists" },
    { id: "bulk", text: t("menu.bulk"), icon: ListPlus, to: "/dashboard/main/bulklookup" },
    isOwner(me) && { id: "plans", text: isFreePlan(me) ? t("menu.viewPlans") : t("plans.title"), icon: Sparkles, to: "/dashboard/upgradeplan" },
    isOwner(me) && { id: "addons", text: t("addons.title"), icon: Coins, to: "/dashboard/creditaddons" },
    { id: "account", text: t("settings.myaccount"), hint: t("menu.settings"), icon: UserRound, to: `${SETTINGS}/myaccount` },
    { id: "password", text: t("settings.password"), hint: t("menu.settings"), icon: Lock, to: `${SETTINGS}/password` },
    { id: "twostep", text: t("settings.twostep"), hint: t("menu.settings"), icon: Lock, to: `${SETTINGS}/password` },
    isOwner(me) && { id: "seats", text: t("settings.manageseats"), hint: t("menu.settings"), icon: UsersRound, to: `${SETTINGS}/manageseats` },
    isOwner(me) && { id: "billing", text: t("settings.billing"), hint: t("menu.settings"), icon: CreditCard, to: `${SETTINGS}/billing` },
    isOwner(me) && { id: "usage", text: t("settings.usage"), hint: t("menu.settings"), icon: FileSpreadsheet, to: `${SETTINGS}/usage` },
    { id: "sessions", text: t("settings.sessions"), hint: t("menu.settings"), icon: Lock, to: `${SETTINGS}/password` },
    isOwner(me) && { id: "auditlog", text: t("settings.auditlog"), hint: t("menu.settings"), icon: FileSpreadsheet, to: `${SETTINGS}/auditlog` },
    isOwner(me) && { id: "creditledger", text: t("settings.creditledger"), hint: t("menu.settings"), icon: Coins, to: `${SETTINGS}/creditledger` },
    isOwner(me) && { id: "api", text: t("settings.api"), hint: t("menu.settings"), icon: KeyRound, to: `${SETTINGS}/api` },
    isOwner(me) && { id: "webhooks", text: t("settings.webhooks"), hint: t("menu.settings"), icon: KeyRound, to: `${SETTINGS}/webhooks` },
    { id: "demo", text: t("menu.demo"), icon: Building2, to: "/dashboard/scheduledemo" },
  ];
  return all.filter((one) => one !== false);
}

/** Actions that take effect at once. */
export function actions(me: Account, setScheme: (scheme: "light" | "dark") => void, dark: boolean, onShortcuts: () => void): Command[] {
  const all: (Command | false)[] = [
    isOwner(me) && { id: "invite", text: t("palette.invite"), icon: UserPlus, to: `${SETTINGS}/manageseats` },
    isOwner(me) && { id: "createkey", text: t("palette.createKey"), icon: KeyRound, to: `${SETTINGS}/api` },
    { id: "export", text: t("palette.export"), icon: FileSpreadsheet, to: "/dashboard/main/mycontacts" },
    { id: "lookmany", text: t("palette.lookUpMany"), icon: ListPlus, to: "/dashboard/main/bulklookup" },
    dark
      ? { id: "light", text: t("palette.toLight"), icon: Sun, run: () => setScheme("light") }
      : { id: "dark", text: t("palette.toDark"), icon: Moon, run: () => setScheme("dark") },
    { id: "docs", text: t("menu.documentation"), hint: t("menu.help"), icon: BookOpen, run: () => window.location.assign("/docs/use/quick-start/") },
    { id: "shortcuts", text: t("palette.shortcuts"), hint: t("menu.help"), icon: Keyboard, run: onShortcuts },
  ];
  return all.filter((one) => one !== false);
}

/** Commands that match: every typed word is the start of a word of the text, in the singular or the plural. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ text, hint = "" }) => {
    const parts = `${text} ${hint}`.toLowerCase().split(/\s+/);
    return words.every((word) => parts.some((part) => part.startsWith(word) || (word.length > SHORT && part === word.replace(/s$/, ""))));
  });
}
