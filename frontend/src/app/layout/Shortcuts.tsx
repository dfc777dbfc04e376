/** The shortcuts of the app. */
import { t } from "../../lib/i18n.dashboard";
import { GO, MOD_KEY } from "./keys";
import { type Shortcut, ShortcutsDialog } from "./ShortcutsDialog";

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <ShortcutsDialog
      onClose={onClose}
      more={[
        [t("palette.undo"), [`${MOD_KEY}Z`]],
        ...Object.entries(GO).map(([key, { text }]): Shortcut => [t("palette.goTo", { name: t(text) }), ["G", key.toUpperCase()]]),
      ]}
    />
  );
}
