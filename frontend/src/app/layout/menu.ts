/** The entries of the main menu, in order. */
import { Building2, LayoutDashboard, ListChecks, type LucideIcon, Search, Users, UsersRound } from "lucide-react";
import { isComing } from "../../api/config";
import type { TextKey } from "../../lib/i18n.dashboard";

export interface MenuItem {
  to: string;
  text: TextKey;
  icon: LucideIcon;
}

const MENU: MenuItem[] = [
  { to: "/dashboard/main/dashboardmain", text: "menu.dashboard", icon: LayoutDashboard },
  { to: "/dashboard/main/search", text: "menu.search", icon: Search },
  { to: "/dashboard/main/mycontacts", text: "menu.mycontacts", icon: Users },
  { to: "/dashboard/main/peoplesearch", text: "menu.peoplesearch", icon: UsersRound },
  { to: "/dashboard/main/companysearch", text: "menu.companysearch", icon: Building2 },
  { to: "/dashboard/main/lists", text: "menu.lists", icon: ListChecks },
];

/** The entries of this server: there are no lists without the search that fills them. */
export const menu = (): MenuItem[] => MENU.filter(({ text }) => text !== "menu.lists" || !isComing("peoplesearch"));

/** Whether an entry only shows "Coming soon". */
export const isAnnounced = ({ to }: MenuItem): boolean => isComing(to.slice(to.lastIndexOf("/") + 1));
