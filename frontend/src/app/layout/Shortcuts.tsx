/** The shortcuts of the app. */
import { t } from "../../lib/i18n.people";
import { GO, MOD_KEY } from "./keys";
import { type Shortcut, ShortcutsDialog } from "./ShortcutsDialog";

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <ShortcutsDialog
      onClose={onClose}
      more={[
        [t("people.keys.move"), ["J", "K"]],
        [t("people.keys.open"), ["Enter"]],
        [t("people.keys.tick"), ["X"]],
        [t("people.keys.copy"), ["C"]],
        [t("people.keys.reveal"), ["R"]],
        [t("people.keys.export"), ["E"]],
        [t("palette.undo"), [`${MOD_KEY}Z`]],
        ...Object.entries(GO).map(([key, { text }]): Shortcut => [t("palette.goTo", { name: t(text) }), ["G", key.toUpperCase()]]),
      ]}
    />
  );
}
