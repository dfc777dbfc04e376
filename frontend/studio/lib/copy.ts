/** Put text on the clipboard. */
import { tell } from "../toasts";
import { T } from "../texts";

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API needs https; without it, a selection can still be copied.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  tell(T.copied);
}
