/** Reads the clipboard into the search. Absent where the browser does not let a page read it. */
import { Button } from "@mantine/core";
import { ClipboardPaste } from "lucide-react";
import { t } from "../lib/i18n.dashboard";

export function PasteButton({ onText, onFailure }: { onText: (text: string) => boolean; onFailure: (reason: string) => void }) {
  if (typeof navigator.clipboard?.readText !== "function") return null;
  const paste = async () => {
    const text = await navigator.clipboard.readText().catch(() => null);
    if (text === null) onFailure(t("search.pasteBlocked"));
    else if (!onText(text)) onFailure(t("search.pasteNothing"));
  };
  return (
    <Button variant="default" size="sm" leftSection={<ClipboardPaste size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => void paste()}>
      {t("search.paste")}
    </Button>
  );
}
