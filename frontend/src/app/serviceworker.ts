/** Registers the service worker of a built app once the page is loaded and idle, so that it delays nothing. */
const IDLE_MS = 4000;

export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // Without it there is no offline page, and nothing else is missing.
  const register = () => void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  setTimeout(register, IDLE_MS);
}
