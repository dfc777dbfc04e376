/** Copies text to the clipboard and shows a message. */
import { copyText } from "../../shared/clipboard";
import { toast } from "../../shared/toasts";
import { T } from "../texts";

export async function copyAndReport(text: string, report: string = T.copied): Promise<void> {
  await copyText(text);
  toast(report);
}
