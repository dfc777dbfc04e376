/** The address of a professional profile, as a person pastes it. Pure. */

const MINI_PROFILE = "miniprofileurn";

/** Without blanks, protocol, www, anything after # and a slash at the end. */
export function cleanUrl(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/#.*$/, "")
    .replace(/\/+$/, "");
}

/** The cleaned address, or null when it names no profile: another domain, or a mini-profile parameter. */
export function profileUrl(text: string, host: string): string | null {
  const url = cleanUrl(text);
  const lower = url.toLowerCase();
  return lower.includes(host) && !lower.includes(MINI_PROFILE) ? url : null;
}

/** The text from the network's host on, without slashes at the end: what the look-up API is asked. */
export function fromHost(text: string, host: string): string {
  const at = text.toLowerCase().indexOf(host.toLowerCase());
  return (at < 0 ? text : text.slice(at)).trim().replace(/\/+$/, "");
}
