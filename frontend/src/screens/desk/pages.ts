/** The pages of the desk, in the order of its menu. */
import { CreditCard, FileSpreadsheet, type LucideIcon, ListChecks, ThumbsDown, UsersRound } from "lucide-react";
import type { DeskKey } from "../../lib/i18n.desk";

export interface DeskPage {
  to: string;
  text: DeskKey;
  icon: LucideIcon;
  /** The kind of waiting work that the page lists. */
  work?: "feedback" | "queue" | "payments";
  /** Whether it is another program at this server, not a page of the desk. */
  outside?: boolean;
}

export const PAGES: readonly DeskPage[] = [
  { to: "/desk", text: "nav.clients", icon: UsersRound },
  { to: "/desk/feedback", text: "nav.feedback", icon: ThumbsDown, work: "feedback" },
  { to: "/desk/queue", text: "nav.queue", icon: ListChecks, work: "queue" },
  { to: "/desk/payments", text: "nav.payments", icon: CreditCard, work: "payments" },
  { to: "/studio", text: "nav.studio", icon: FileSpreadsheet, outside: true },
];
