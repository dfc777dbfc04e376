// Shows offline.html when the server cannot be reached. No page, no script of the app and no response of the API is cached.
// The build replaces the version and the files (tools/serviceworker.mjs).
const CACHE = "offline-__VERSION__";
const FILES = ["__FILES__"];
const PAGE = "/offline.html";

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith("offline-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function navigate(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
}

/** A file of the offline page: from the server, and without one from the cache. */
async function file(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(navigate(event));
  else if (request.method === "GET" && url.origin === location.origin && FILES.includes(url.pathname)) event.respondWith(file(request));
});
