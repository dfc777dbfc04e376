/** The session and the first list are requested, and frame and shape are drawn, before the app has loaded; links preload. */
import { OWNER, check, journey, signIn } from "./browser.mjs";

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
  const drawn = frameDrawn(page);
  await page.route("**/vendor-*.js", after(Promise.all([session, list, drawn])));
  await page.route("**/api/v2/user/session", after(list));
  await page.goto("/dashboard/main/mycontacts", { waitUntil: "commit" });
  await page.getByRole("row").nth(1).waitFor();
  await loadedOnHover(first);
});

const isList = (request) => request.url().includes("/_table/usercontact?") && request.url().includes("limit=25");

/** Hovering over a link loads the list behind it; following the link requests nothing again. */
async function loadedOnHover(page) {
  const lists = [];
  page.on("request", (request) => isList(request) && lists.push(request));
  const link = page.getByRole("link", { name: "My Contacts" }).first();
  const [list] = await Promise.all([page.waitForResponse((response) => isList(response.request())), link.hover()]);
  await list.finished();
  await link.click();
  await page.getByRole("row").nth(1).waitFor();
  check(lists.length === 1, `${lists.length} requests for one list`);
}

/** Waits for the page, and for its sidebar and the shape of the list while the app has not loaded. */
async function frameDrawn(page) {
  await page.waitForURL("**/dashboard/**", { waitUntil: "commit" });
  await page.waitForFunction(() => {
    const root = document.getElementById("root");
    const [control, table] = [3, 8].map((part) => document.querySelector(`#shape [data-shape="list"] i:nth-child(${part})`)?.getBoundingClientRect());
    return root?.childElementCount === 0 && getComputedStyle(root, "::before").width === "240px" && control?.left === 272 && table?.right === 1408;
  });
}
