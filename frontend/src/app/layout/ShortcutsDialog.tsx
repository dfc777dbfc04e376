/** A list of shortcuts: those of every frame, and `more` of the current one. */
import { Box } from "@mantine/core";
import { Dialog } from "../../components/ui/Dialog";
import { useReturnedFocus } from "../../components/useReturnedFocus";
import { t } from "../../lib/i18n.dashboard";
import { MOD_KEY } from "./keys";
import classes from "./Palette.module.css";

/** The text of a shortcut, and its keys in order. */
export type Shortcut = [string, string[]];

export function ShortcutsDialog({ more, onClose }: { more: Shortcut[]; onClose: () => void }) {
  useReturnedFocus();
  const lines: Shortcut[] = [[t("palette.title"), [`${MOD_KEY}K`]], [t("palette.shortcuts"), ["?"]], ...more, [t("palette.closeLayer"), ["Esc"]]];
  return (
    <Dialog opened onClose={onClose} title={t("palette.shortcuts")} size="sm">
      <Box component="dl" m={0} className={classes.shortcuts}>
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
      </Box>
    </Dialog>
  );
}
