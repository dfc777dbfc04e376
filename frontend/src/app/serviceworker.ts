/** Registers the service worker of a built app once the page is loaded and idle, so that it delays nothing. */
const IDLE_MS = 4000;

// If this fails, only the offline page is missing.
const register = () => void navigator.serviceWorker.register("/sw.js").catch(() => undefined);

export function registerServiceWorker(): void {
  if (import.meta.env.PROD && "serviceWorker" in navigator) setTimeout(register, IDLE_MS);
}
