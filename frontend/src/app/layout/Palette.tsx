/** The command palette of the app. */
import { useState } from "react";
import { t } from "../../lib/i18n.dashboard";
import { noteUsed } from "./lastused";
import { PaletteDialog } from "./PaletteDialog";
import { usePaletteGroups } from "./usePaletteGroups";

interface Props {
  onClose: () => void;
  onShortcuts: () => void;
}

export default function Palette({ onClose, onShortcuts }: Props) {
  const [typed, setTyped] = useState("");
  const groups = usePaletteGroups(typed, onShortcuts);
  return <PaletteDialog typed={typed} onType={setTyped} groups={groups} placeholder={t("palette.placeholder")} onClose={onClose} onUsed={noteUsed} />;
}
