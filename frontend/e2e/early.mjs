/** Session and first list are asked for at once, before the app itself has arrived. */
import { OWNER, journey, signIn } from "./browser.mjs";

const after = (requests) => async (route) => {
  await requests;
  await route.continue();
};

journey("early", async (open) => {
  const first = await open();
  await signIn(first, OWNER);
  const page = await open({ storageState: await first.context().storageState() });
  const asked = (part) => page.waitForRequest((request) => request.url().includes(part));
  const [session, list] = [asked("/user/session"), asked("/_table/usercontact")];
  // Held back until both are under way: requests that waited for the app, or for each other, would never be sent.
  await page.route("**/vendor-*.js", after(Promise.all([session, list])));
  await page.route("**/api/v2/user/session", after(list));
  await page.goto("/dashboard/main/mycontacts");
  await page.getByRole("row").nth(1).waitFor();
});
