/** Describes in words what a scope of an application allows. Pure. */
import { t } from "../lib/i18n.dashboard";

const WHOLE = {
  read: () => t("authorize.scope.read"),
  write: () => t("authorize.scope.write"),
  delete: () => t("authorize.scope.delete"),
  reveal: () => t("authorize.scope.reveal"),
  grant: () => t("authorize.scope.grant"),
};

const OF_TABLE = {
  read: (table: string) => t("authorize.scope.readOf", { table }),
  write: (table: string) => t("authorize.scope.writeOf", { table }),
  delete: (table: string) => t("authorize.scope.deleteOf", { table }),
  grant: (table: string) => t("authorize.scope.grantOf", { table }),
};

/** The text of a scope such as `read` or `read:usercontact`. */
export function scopeText(scope: string): string {
  const [verb = "", table] = scope.split(":");
  if (table && verb in OF_TABLE) return OF_TABLE[verb as keyof typeof OF_TABLE](table);
  return verb in WHOLE ? WHOLE[verb as keyof typeof WHOLE]() : scope;
}
