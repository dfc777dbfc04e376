import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { contactAnswer } from "../../testing/answers";
import { ErrorResponse, type Sent, draw, serve as serveOnly } from "../../testing/render";
import { MyContactsScreen } from "./MyContactsScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/mycontacts";
const LIST = "GET leads/_table/usercontact";
const META = "GET leads/_table/contactmeta";
const KEEP = "POST contactmeta_addupdate";
const REJECTED = new ErrorResponse(422, { code: 422, message: "Not now" });

const serve = (replies: Parameters<typeof serveOnly>[0] = {}) =>
  serveOnly({
    [LIST]: { resource: [contactAnswer(1), contactAnswer(2)], meta: { count: 2 } },
    [META]: { resource: [] },
    "GET leads/_table/appuser": { resource: [] },
    "GET leads/_table/contactfeedback": { resource: [] },
    "POST searchurl": { data: [] },
    ...replies,
  });

const writes = (sent: Sent[]) => sent.filter(({ method, path }) => method === "PATCH" || path === "contactmeta_addupdate").map(({ body }) => body);
const note = (text: string) => within(screen.getByText(text).closest<HTMLElement>("[role=status]")!);
const row = (name: string) => within(screen.getByText(name).closest("tr")!);

async function remove(): Promise<void> {
  await user.click(await screen.findByRole("button", { name: "Remove Person 1" }));
  await user.click(note("Person 1 was removed.").getByRole("button", { name: "Close" }));
}

test("a removed contact can be restored in its place, and nothing is sent", async () => {
  const sent = serve();
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Remove Person 2" }));
  expect(row("Person 2").getByText("Removed")).toBeVisible();
  expect(row("Person 2").getByRole("checkbox")).toBeDisabled();
  await user.click(note("Person 2 was removed.").getByRole("button", { name: "Undo" }));
  expect(row("Person 2").queryByText("Removed")).toBeNull();

  await user.click(screen.getByRole("button", { name: "Remove Person 2" }));
  // The button of the row restores it too, and has kept the focus for that.
  await user.keyboard("{Enter}");
  expect(row("Person 2").queryByText("Removed")).toBeNull();
  expect(screen.getAllByRole("link", { name: /^Person/ }).map(({ textContent }) => textContent)).toEqual(["Person 1", "Person 2"]);
  expect(writes(sent)).toEqual([]);
});

test("a removal is sent when its message closes, and an error restores the contact", async () => {
  let rejects = true;
  let deleted = 0;
  const sent = serve({
    [LIST]: () => ({ resource: [contactAnswer(1, { deleted })], meta: { count: 1 } }),
    "PATCH leads/_table/usercontact/1": () => {
      if (rejects) return REJECTED;
      deleted = 1;
      return { contactid: 1 };
    },
  });
  draw(<MyContactsScreen />, { at: AT });
  await remove();
  expect(await screen.findByText("Not now")).toBeVisible();
  await waitFor(() => expect(screen.queryByText("Removed")).toBeNull());

  rejects = false;
  await remove();
  await waitFor(() => expect(screen.queryByRole("button", { name: "Undo: keep Person 1" })).toBeNull());
  expect(screen.getByText("Removed")).toBeVisible();
  expect(writes(sent)).toEqual([{ deleted: 1 }, { deleted: 1 }]);
});

test("contacts revealed only by a colleague cannot be removed", async () => {
  const [theirs, shared] = [contactAnswer(1, { revealedby: 9, dialrevealedby: 9 }), contactAnswer(2, { revealedby: 9 })];
  serve({ [LIST]: { resource: [theirs, shared], meta: { count: 2 } } });
  for (const by of ["9", "team"]) {
    const { unmount } = draw(<MyContactsScreen />, { at: `${AT}?by=${by}` });
    expect(await screen.findByRole("button", { name: "Remove Person 2" })).toBeVisible();
    expect(screen.queryByRole("button", { name: "Remove Person 1" })).toBeNull();
    unmount();
  }
});

test("undo restores a cleared selection and keeps rows selected since", async () => {
  serve();
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByRole("checkbox", { name: "Select Person 1" })).not.toBeChecked();
  await user.click(screen.getByRole("checkbox", { name: "Select Person 2" }));
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(screen.getByText("2 selected")).toBeVisible();
});

test("a new tag is shown at once and removed if the server rejects it", async () => {
  const server = new EventTarget();
  const failure = new Promise<ErrorResponse>((done) => server.addEventListener("refuse", () => done(REJECTED)));
  serve({ [KEEP]: () => failure });
  draw(<MyContactsScreen />, { at: `${AT}?contact=1` });
  await user.type(await screen.findByLabelText("Tags"), "hot, ");
  expect(await screen.findByRole("button", { name: "Remove the tag hot" })).toBeVisible();
  server.dispatchEvent(new Event("refuse"));
  await waitFor(() => expect(screen.getByText("Not now")).toBeVisible());
  await waitFor(() => expect(screen.queryByRole("button", { name: "Remove the tag hot" })).toBeNull());
});

test("undo restores a removed tag in its place and keeps tags added since", async () => {
  let stored = ["one", "two", "three"];
  const sent = serve({
    [META]: () => ({ resource: [{ contactid: 1, tags: stored, note: "kept" }] }),
    [KEEP]: ({ body }: Sent) => {
      stored = body.tags;
      return { resource: [body] };
    },
  });
  draw(<MyContactsScreen />, { at: `${AT}?contact=1` });
  await user.click(await screen.findByRole("button", { name: "Remove the tag two" }));
  expect(screen.getByLabelText("Tags")).toHaveFocus();
  await user.keyboard("four{Enter}");
  await user.click(note("The tag “two” was removed.").getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(writes(sent)).toHaveLength(3));
  expect(writes(sent)).toEqual([
    { contactid: 1, tags: ["one", "three"], note: "kept" },
    { contactid: 1, tags: ["one", "three", "four"], note: "kept" },
    { contactid: 1, tags: ["one", "two", "three", "four"], note: "kept" },
  ]);
});
