/** The list of shortcuts. */
import { Dialog } from "../../components/ui/Dialog";
import { useReturnedFocus } from "../../components/useReturnedFocus";
import { t } from "../../lib/i18n.dashboard";
import { GO, MOD_KEY } from "./keys";
import classes from "./Palette.module.css";

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  useReturnedFocus();
  const lines: [string, string[]][] = [
    [t("palette.title"), [`${MOD_KEY}K`]],
    [t("palette.shortcuts"), ["?"]],
    [t("palette.undo"), [`${MOD_KEY}Z`]],
    ...Object.entries(GO).map(([key, { text }]): [string, string[]] => [t("palette.goTo", { name: t(text) }), ["G", key.toUpperCase()]]),
    [t("palette.closeLayer"), ["Esc"]],
  ];
  return (
    <Dialog opened onClose={onClose} title={t("palette.shortcuts")} size="sm">
      <dl className={classes.shortcuts}>
        {lines.map(([text, keys]) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
