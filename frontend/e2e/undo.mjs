/** Harmless changes happen at once and can be undone for eight seconds: by the button, by Ctrl-Z, from any screen. */
import { OWNER, check, journey, picture, signIn, signOut } from "./browser.mjs";

const CONTACTS = "/dashboard/main/mycontacts";
const UNDO_MS = 8_000;
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const note = (page, text) => page.getByRole("status").filter({ hasText: text });
const undo = (page, text) => note(page, text).getByRole("button", { name: "Undo" });
const gone = (locator) => locator.waitFor({ state: "detached" });
const rowOf = (page, name) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
const removedMark = (page, name) => rowOf(page, name).getByText("Removed", { exact: true });
const removal = (name) => `${name} was removed.`;

/** The names of the first contacts of the list that are not removed, without those that two of them have. */
async function names(page, count) {
  await page.getByRole("row").nth(count).waitFor();
  const buttons = await page.getByRole("button", { name: /^Remove / }).all();
  const labels = await Promise.all(buttons.map((button) => button.getAttribute("aria-label")));
  const once = labels.filter((label) => labels.indexOf(label) === labels.lastIndexOf(label));
  return once.slice(0, count).map((label) => label.replace("Remove ", ""));
}

async function remove(page, name) {
  // The button shows on hover; the pointer must not stay where the message appears.
  await page.getByRole("button", { name: `Remove ${name}`, exact: true }).dispatchEvent("click");
  await note(page, removal(name)).waitFor();
  await removedMark(page, name).waitFor();
}

/** The changes that the page has sent to the server since the last call. */
function writes(page) {
  const sent = [];
  page.on("request", (request) => request.method() === "PATCH" && sent.push(request));
  return () => sent.splice(0);
}

/** By the button, by Ctrl-Z, and not by the Ctrl-Z of a text. */
async function takeBack(page, name) {
  const written = writes(page);
  await remove(page, name);
  await picture(page, "undo");
  await undo(page, removal(name)).click();
  await gone(removedMark(page, name));
  await gone(note(page, removal(name)));

  await remove(page, name);
  const search = page.getByRole("textbox", { name: "Search contacts" });
  await search.fill("a");
  await search.press("Control+z");
  check(await undo(page, removal(name)).isVisible(), "Ctrl-Z in a text to take back the text alone");
  await search.fill("");
  await search.blur();
  await removedMark(page, name).waitFor();
  await page.keyboard.press("Control+z");
  await gone(removedMark(page, name));
  await page.clock.fastForward(2 * UNDO_MS);
  check(written().length === 0, "nothing to be sent for what was taken back");
}

/** Undoes the latest first; afterwards both contacts are back, and Ctrl-Z finds nothing. */
async function twoInARow(page, [one, two]) {
  const written = writes(page);
  await remove(page, one);
  await remove(page, two);
  await page.keyboard.press("Control+z");
  await gone(removedMark(page, two));
  check(await removedMark(page, one).isVisible(), "Ctrl-Z to take back the latest removal alone");
  await page.keyboard.press("Control+z");
  await gone(removedMark(page, one));

  await remove(page, one);
  await remove(page, two);
  await undo(page, removal(two)).hover();
  await page.clock.fastForward(UNDO_MS);
  await gone(note(page, removal(one)));
  check(await undo(page, removal(two)).isVisible(), "a note to stay while it is pointed at");
  const sent = page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());
  await page.mouse.move(0, 0);
  await page.clock.fastForward(UNDO_MS);
  await gone(note(page, removal(two)));
  await sent;
  const requests = written();
  check(requests.length === 2, `each removal to be sent once, not ${requests.length} requests`);
  await page.keyboard.press("Control+z");
  await page.reload();
  for (const name of [one, two]) await removedMark(page, name).waitFor();
}

/** The message stays on other screens; the removal waits for it and can be undone there. */
async function fromAnotherScreen(page, [one, two]) {
  const written = writes(page);
  await remove(page, one);
  await page.getByRole("link", { name: "Dashboard" }).click();
  await page.getByRole("heading", { level: 1, name: /^Good to see you/ }).waitFor();
  await undo(page, removal(one)).waitFor();
  await page.keyboard.press("Control+z");
  await gone(note(page, removal(one)));
  await page.getByRole("link", { name: "My Contacts" }).click();
  await rowOf(page, one).waitFor();
  check(!(await removedMark(page, one).isVisible()), "a contact that was taken back elsewhere to be there again");

  await remove(page, two);
  await page.getByRole("link", { name: "Dashboard" }).click();
  check(written().length === 0, "a removal to wait until its note has gone");
  const sent = page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());
  await undo(page, removal(two)).waitFor();
  await page.clock.fastForward(UNDO_MS);
  await sent;
  await page.getByRole("link", { name: "My Contacts" }).click();
  await removedMark(page, two).waitFor();
}

/** Leaving the page and ending the session both send pending changes. */
async function leaving(page, [one, two]) {
  await remove(page, one);
  await page.goto("/api/docs");
  await page.goto(CONTACTS);
  await removedMark(page, one).waitFor();

  await remove(page, two);
  await signOut(page);
  await page.getByRole("button", { name: "Login" }).waitFor();
  check((await page.getByRole("button", { name: "Undo" }).count()) === 0, "no Undo after a sign-out");
  await page.keyboard.press("Control+z");
  await signIn(page, OWNER);
  await page.goto(CONTACTS);
  await removedMark(page, two).waitFor();
}

/** A tag is removed on the server at once, so Undo adds it again, even when its contact is out of view. */
async function tags(page, name) {
  await page.getByRole("button", { name: `Open ${name}`, exact: true }).dispatchEvent("click");
  const drawer = page.getByRole("dialog");
  const field = drawer.getByLabel("Tags", { exact: true });
  const tag = drawer.getByRole("button", { name: "Remove the tag urgent" });
  const saved = () => page.waitForResponse((response) => response.url().includes("contactmeta_addupdate") && response.ok());
  const added = saved();
  await field.fill("urgent");
  await field.press("Enter");
  await added;
  const removed = saved();
  await tag.click();
  await removed;
  await page.keyboard.press("Escape");
  await gone(drawer);
  const restored = saved();
  await page.keyboard.press("Control+z");
  await restored;
  await page.getByRole("button", { name: `Open ${name}`, exact: true }).dispatchEvent("click");
  await tag.waitFor();
  await tag.click();
  await page.clock.fastForward(UNDO_MS);
  await gone(note(page, "urgent"));
  await page.reload();
  await field.waitFor();
  check((await tag.count()) === 0, "a removed tag to stay away once its note has gone");
  await page.keyboard.press("Escape");
}

/** A cleared selection comes back; it ends with its screen. */
async function selection(page) {
  const ticks = page.getByRole("row").getByRole("checkbox");
  const enabled = page.locator("tbody input[type=checkbox]:enabled");
  for (const index of [0, 1]) await enabled.nth(index).check();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  check((await ticks.and(page.locator(":checked")).count()) === 0, "nothing selected after Clear");
  await page.keyboard.press("Control+z");
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByRole("link", { name: "Dashboard" }).click();
  await gone(page.getByRole("button", { name: "Undo" }));
}

/** A deleted photo is stored again. */
async function photo(page) {
  await page.goto("/dashboard/settings/myaccount");
  const shown = page.locator("main img:not([src^='blob:'], [src*='/flags'])");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose photo" }).click()]);
  await chooser.setFiles({ name: "me.png", mimeType: "image/png", buffer: PIXEL });
  await page.getByRole("button", { name: "Update" }).click();
  await shown.waitFor();
  const before = await shown.getAttribute("src");
  await page.getByRole("button", { name: "Delete" }).click();
  await undo(page, "photo").click();
  await shown.waitFor();
  check((await shown.getAttribute("src")) === before, "the same photo to be back");
  await page.reload();
  await shown.waitFor();
}

journey("undo", async (open) => {
  const page = await open();
  await page.clock.install();
  await signIn(page, OWNER);
  await page.goto(CONTACTS);
  const [first, ...others] = await names(page, 7);
  await takeBack(page, first);
  await tags(page, first);
  await selection(page);
  await photo(page);
  await page.goto(CONTACTS);
  await twoInARow(page, others.slice(0, 2));
  await fromAnotherScreen(page, others.slice(2, 4));
  await leaving(page, others.slice(4, 6));
});
