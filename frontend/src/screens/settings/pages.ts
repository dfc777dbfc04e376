/** The pages of the settings, in order. */
import {
  ChartColumn,
  CodeXml,
  Coins,
  CreditCard,
  KeyRound,
  Layers,
  type LucideIcon,
  ScrollText,
  ShieldCheck,
  UserRound,
  UsersRound,
  Webhook,
} from "lucide-react";
import type { TextKey } from "../../lib/i18n.dashboard";

interface Page {
  path: string;
  text: TextKey;
  icon: LucideIcon;
  /** The heading above it in the sidebar, if it begins a group. */
  group?: TextKey;
  /** Visible only to the owner of the account. */
  ownerOnly?: boolean;
}

export const PAGES: Page[] = [
  { path: "myaccount", text: "settings.myaccount", icon: UserRound, group: "settings.you" },
  { path: "password", text: "settings.password", icon: KeyRound },
  { path: "manageseats", text: "settings.manageseats", icon: UsersRound, group: "settings.company", ownerOnly: true },
  { path: "billing", text: "settings.billing", icon: CreditCard, ownerOnly: true },
  { path: "plans", text: "settings.plans", icon: Layers, ownerOnly: true },
  { path: "usage", text: "settings.usage", icon: ChartColumn, ownerOnly: true },
  { path: "api", text: "settings.api", icon: CodeXml, group: "settings.developers", ownerOnly: true },
  { path: "webhooks", text: "settings.webhooks", icon: Webhook, ownerOnly: true },
  { path: "privacy", text: "settings.privacy", icon: ShieldCheck, group: "settings.records" },
  { path: "auditlog", text: "settings.auditlog", icon: ScrollText, ownerOnly: true },
  { path: "creditledger", text: "settings.creditledger", icon: Coins, ownerOnly: true },
];
