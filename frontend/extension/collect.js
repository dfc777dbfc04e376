/** The profiles on a page of search results. Runs in that page, so it must not use anything from outside. */
export function profilesOf() {
  const found = new Map();
  for (const link of document.querySelectorAll('a[href*="/in/"]')) {
    const { hostname, pathname } = new URL(link.href, location.href);
    const name = pathname.match(/^\/in\/([^/]+)/)?.[1];
    const ofNetwork = hostname === "linkedin.com" || hostname.endsWith(".linkedin.com");
    if (name && ofNetwork) found.set(`https://www.linkedin.com/in/${name}`, true);
  }
  return [...found.keys()];
}

/** The profile at this address; null for any other page. */
export function profileOf(address) {
  if (!URL.canParse(address ?? "")) return null;
  const { protocol, hostname, pathname } = new URL(address);
  const name = pathname.match(/^\/in\/([^/]+)/)?.[1];
  const ofNetwork = hostname === "linkedin.com" || hostname.endsWith(".linkedin.com");
  return name && ofNetwork && protocol === "https:" ? `https://www.linkedin.com/in/${name}` : null;
}

export const MOST = 200;

/** The list with the new addresses appended: each once, at most 200. */
export function joined(list, added) {
  return [...new Set([...list, ...added])].slice(0, MOST);
}
