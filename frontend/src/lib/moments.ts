/** Moments by the reader's clock, beside dates that are the server's. */
import { parseDate } from "./dates";

/** `22 Nov 2026, 14:05` in the time zone of the browser; an empty text for no moment. */
export function momentText(text: string | null | undefined): string {
  const moment = parseDate(text);
  if (!moment) return "";
  const day = moment.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
