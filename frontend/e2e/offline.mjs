/** Without a connection a page in the chosen language is shown; once online, the requested page opens. */
import { OWNER, accessible, check, journey, picture, signIn } from "./browser.mjs";

const CONTACTS = "/dashboard/main/mycontacts";

/** The contents of the service worker's cache. */
const cachedFiles = (page) =>
  page.evaluate(async () => {
    const kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = await Promise.all(kept.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });

async function offline(page, path, heading) {
  await page.context().setOffline(true);
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  check((await page.evaluate(() => getComputedStyle(document.body).fontFamily)).includes("Instrument Sans"), "the page to have its styles");
}

journey("offline", async (open) => {
  const page = await open({ serviceWorkers: "allow" });
  await signIn(page, OWNER);
  const manifest = await (await page.request.get("/manifest.json")).json();
  for (const { src } of manifest.icons) check((await page.request.get(src)).ok(), `the icon ${src}`);

  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.goto(CONTACTS);
  await page.getByRole("row").nth(1).waitFor();
  const kept = await cachedFiles(page);
  check(kept.length > 0 && kept.every((path) => !path.startsWith("/api/")), `no response of the API to be cached: ${kept.join(" ")}`);

  await offline(page, CONTACTS, "You are offline");
  check((await page.evaluate(() => document.body.textContent)).includes("@") === false, "no contact on the offline page");
  await accessible(page, "the offline page");
  await picture(page, "offline");

  await page.context().addCookies([{ name: "language", value: "de", url: page.url() }]);
  await offline(page, CONTACTS, "Sie sind offline");
  await page.context().setOffline(false);
  await page.getByRole("heading", { level: 1, name: "Meine Kontakte" }).waitFor();
  await page.getByRole("row").nth(1).waitFor();
});
