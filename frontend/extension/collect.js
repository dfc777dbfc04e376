/** The profiles that a page of search results shows. Runs in that page: it may use nothing from outside itself. */
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

/** The profile whose page has this address; null for every other page. */
export function profileOf(address) {
  if (!URL.canParse(address ?? "")) return null;
  const { protocol, hostname, pathname } = new URL(address);
  const name = pathname.match(/^\/in\/([^/]+)/)?.[1];
  const ofNetwork = hostname === "linkedin.com" || hostname.endsWith(".linkedin.com");
  return name && ofNetwork && protocol === "https:" ? `https://www.linkedin.com/in/${name}` : null;
}

export const MOST = 200;

/** The list with the new addresses behind it: each once, at most 200. */
export function joined(list, added) {
  return [...new Set([...list, ...added])].slice(0, MOST);
}
