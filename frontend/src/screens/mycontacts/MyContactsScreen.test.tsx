import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { contactAnswer } from "../../testing/answers";
import { ErrorResponse, type Sent, draw, serve as serveOnly, whole } from "../../testing/render";
import { MyContactsScreen } from "./MyContactsScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/mycontacts";
const LIST = "GET leads/_table/usercontact";
const FEEDBACK = "leads/_table/contactfeedback";
const META = "leads/_table/contactmeta";

/** A server where nothing was voted on yet, unless said otherwise. */
const serve = (replies: Parameters<typeof serveOnly>[0]) =>
  serveOnly({ [`GET ${FEEDBACK}`]: { resource: [] }, "GET leads/_table/appuser": { resource: [] }, [`GET ${META}`]: { resource: [] }, ...replies });

const lists = (sent: Sent[]) => sent.filter((one) => `${one.method} ${one.path}` === LIST);

const votes = (sent: Sent[]) =>
  sent
    .filter((one) => one.method === "POST" && one.path.endsWith("contactfeedback"))
    .map(({ body: { resource } }) => resource.map((vote: { action: string; type: string }) => `${vote.action} ${vote.type}`));

// Five rows represent a page, because each has a dozen controls to render.
const contacts = (count: number) => ({
  resource: Array.from({ length: Math.min(count, 5) }, (_, index) => contactAnswer(index + 1)),
  meta: { count },
});

test("an empty list shows a message and a link to the search", async () => {
  serve({ [LIST]: { resource: [], meta: { count: 0 } } });
  draw(<MyContactsScreen />, { at: AT });
  expect(await screen.findByText("no data found")).toBeVisible();
  expect(screen.getByRole("link", { name: "Search a contact" })).toHaveAttribute("href", "/dashboard/main/search");
});

test("page and size are stored in the URL, and an unknown size is 100", async () => {
  const sent = serve({ [LIST]: contacts(230) });
  const { where } = draw(<MyContactsScreen />, { at: `${AT}?size=77` });
  await screen.findByText("Person 1");
  expect(Object.fromEntries(lists(sent)[0]!.query)).toEqual({ order: "createdon DESC", include_count: "true", limit: "100", offset: "0" });

  await user.click(screen.getByRole("button", { name: "50 per page" }));
  await user.click(await screen.findByRole("button", { name: "Last page" }));
  await waitFor(() => expect(where()).toBe(`${AT}?page=5&size=50`));
  expect(lists(sent).at(-1)!.query.get("offset")).toBe("200");
  expect(lists(sent)[0]!.headers.get("X-Field-Encryption")).toBe("session-v1");
});

test("the last pages of a very long list are read from its end", async () => {
  const ends = [contactAnswer(2), contactAnswer(1)];
  const sent = serve({
    [LIST]: ({ query }: Sent) => ({ resource: query.get("order")?.startsWith("createdon ASC") ? ends.toReversed() : contacts(5).resource, meta: { count: 500_002 } }),
  });
  const { where } = draw(<MyContactsScreen />, { at: AT });
  await screen.findByText("Person 5");
  await user.click(screen.getByRole("button", { name: "Last page" }));
  await waitFor(() => expect(screen.queryByText("Person 5")).toBeNull());
  expect(where()).toBe(`${AT}?page=20001`);
  expect(screen.getAllByRole("link", { name: /^Person/ }).map((one) => one.textContent)).toEqual(["Person 2", "Person 1"]);
  expect(Object.fromEntries(lists(sent).at(-1)!.query)).toMatchObject({ order: "createdon ASC,contactid DESC", limit: "2", offset: "0" });

  await user.click(screen.getByRole("button", { name: "20000" }));
  await waitFor(() => expect(Object.fromEntries(lists(sent).at(-1)!.query)).toMatchObject({ limit: "25", offset: "2" }));
});

test("a page past the end of the list becomes the last one", async () => {
  serve({ [LIST]: contacts(60) });
  const { where } = draw(<MyContactsScreen />, { at: `${AT}?page=999999` });
  await waitFor(() => expect(where()).toBe(`${AT}?page=3`));
  expect(await screen.findByText("Person 1")).toBeVisible();
});

test("the middle of a very long list shows a hint to use the search", async () => {
  serve({ [LIST]: contacts(500_000) });
  draw(<MyContactsScreen />, { at: `${AT}?page=10000` });
  expect(await screen.findByText(/^This page is too far into the list/)).toBeVisible();
});

test("the search is debounced and starts at page 1", async () => {
  const found = { resource: [contactAnswer(7)], meta: { count: 1 } };
  const sent = serve({ [LIST]: ({ query }: Sent) => (query.has("filter") ? found : contacts(60)) });
  const { where } = draw(<MyContactsScreen />, { at: `${AT}?page=2` });
  await screen.findByText("Person 1");
  await user.type(screen.getByRole("textbox", { name: "Search contacts" }), "pers");
  expect(await screen.findByText("Person 7")).toBeVisible();
  await waitFor(() => expect(screen.queryByText("Person 1")).toBeNull());
  const searches = lists(sent).filter(({ query }) => query.has("filter"));
  expect(searches.map(({ query }) => [query.get("offset"), query.get("filter")?.includes("'%pers%'")])).toEqual([["0", true]]);
  expect(where()).toBe(`${AT}?search=pers`);
});

test("select all skips deleted contacts, and export needs a selection", async () => {
  serve({ [LIST]: { resource: [contactAnswer(1), contactAnswer(2, { deleted: 1 }), contactAnswer(3)], meta: { count: 3 } } });
  draw(<MyContactsScreen />, { at: AT });
  await screen.findByText("Person 1");
  expect(screen.getByRole("button", { name: "Export Excel" })).toBeDisabled();
  expect(screen.getByRole("checkbox", { name: "Select Person 2" })).toBeDisabled();

  await user.click(screen.getByRole("checkbox", { name: "Select all" }));
  expect(screen.getByRole("checkbox", { name: "Select Person 1" })).toBeChecked();
  expect(screen.getByRole("checkbox", { name: "Select Person 2" })).not.toBeChecked();
  expect(screen.getByRole("button", { name: "Export Excel" })).toBeEnabled();
  await user.click(screen.getByRole("checkbox", { name: "Select all" }));
  expect(screen.getByRole("button", { name: "Export Excel" })).toBeDisabled();
});

test("the selected contacts are exported by the server, and its rate limit shows a message", async () => {
  const failure = { error: { code: 429, message: "x", context: { reason: "rate_limit", scope: "resource" } } };
  let answer = new Response("xlsx");
  const asked: { url: string; init: RequestInit }[] = [];
  serve({ [LIST]: contacts(3) });
  const list = globalThis.fetch;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    if (init.method !== "POST") return list(url, init);
    asked.push({ url, init });
    return answer;
  });
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:file", revokeObjectURL: () => undefined }));
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 3" }));
  await user.click(screen.getByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Export Excel" }));
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]!.url).toBe("/api/v2/leads/_table/usercontact");
  expect(asked[0]!.init.headers).toMatchObject({ Accept: expect.stringContaining("spreadsheetml"), "X-HTTP-Method": "GET" });
  expect(JSON.parse(asked[0]!.init.body as string)).toEqual({ ids: [3, 1] });

  answer = new Response(JSON.stringify(failure), { status: 429, headers: { "Retry-After": "20000" } });
  await user.click(screen.getByRole("checkbox", { name: "Select Person 2" }));
  await user.click(screen.getByRole("button", { name: "Export Excel" }));
  expect(await screen.findByText("You have used up today's 20 exports. Try again in 6 hours.")).toBeVisible();
});


test("upvoting a row upvotes each of its values, and a downvote needs a value and a reason", async () => {
  const saved: Record<string, unknown>[] = [];
  const sent = serve({
    [LIST]: contacts(1),
    [`GET ${FEEDBACK}`]: () => ({ resource: saved }),
    [`POST ${FEEDBACK}`]: ({ body: { resource } }: Sent) => {
      saved.push(...resource);
      return { resource: resource.map((_: unknown, feedbackid: number) => ({ feedbackid })) };
    },
  });
  draw(<MyContactsScreen />, { at: AT });
  const up = await screen.findByRole("button", { name: "Upvote" });
  expect(up).toHaveAccessibleDescription("Upvote all 3 values");
  await user.click(up);
  expect(await screen.findByText("Thanks! Your feedback has been submitted.")).toBeVisible();
  expect(votes(sent)).toEqual([["upvote phone", "upvote businessemail", "upvote personalemail"]]);
  expect(up).toHaveAttribute("aria-pressed", "true");
  expect(screen.getAllByRole("img", { name: "You upvoted this" })).toHaveLength(3);

  await user.click(screen.getByRole("button", { name: "Downvote" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("radio", { name: "Others" }));
  await user.click(dialog.getByRole("button", { name: "Submit" }));
  expect(dialog.getByText("Please enter a note")).toBeVisible();
  await user.type(dialog.getByLabelText("Note"), "belongs to somebody else");
  await user.click(dialog.getByRole("button", { name: "Submit" }));
  await waitFor(() => expect(votes(sent).at(-1)).toEqual(["downvote phone"]));
  const last = sent.findLast((one) => one.method === "POST")!;
  expect(last.body.resource[0]).toMatchObject({ downvotereason: "others", reasonnote: "belongs to somebody else" });
  await waitFor(() => expect(screen.getByRole("button", { name: "Downvote" })).toHaveAttribute("aria-pressed", "true"));
  expect(up).toHaveAttribute("aria-pressed", "false");
});

test("a vote is shown at once and reverted if the server rejects it", async () => {
  const server = new EventTarget();
  const failure = new Promise<ErrorResponse>((done) =>
    server.addEventListener("refuse", () => done(new ErrorResponse(422, { code: 422, message: "This value was never revealed" }))),
  );
  serve({ [LIST]: contacts(1), [`POST ${FEEDBACK}`]: () => failure });
  draw(<MyContactsScreen />, { at: AT });
  const up = await screen.findByRole("button", { name: "Upvote" });
  await user.click(up);
  await waitFor(() => expect(up).toHaveAttribute("aria-pressed", "true"));
  server.dispatchEvent(new Event("refuse"));
  expect(await screen.findByText("This value was never revealed")).toBeVisible();
  await waitFor(() => expect(up).toHaveAttribute("aria-pressed", "false"));
});

test("the list can be filtered by a tag", async () => {
  const tagged = { resource: [{ tags: ["hot", "call me"] }, { tags: ["hot"] }] };
  const sent = serve({ [LIST]: contacts(3), [`GET ${META}`]: tagged });
  const { where } = draw(<MyContactsScreen />, { at: AT });
  const choice = await screen.findByRole("combobox", { name: "Tag" });
  expect(within(choice).getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["Any tag", "call me", "hot"]);
  await user.selectOptions(choice, "call me");
  await waitFor(() => expect(where()).toBe(`${AT}?tag=call+me`));
  await waitFor(() => expect(lists(sent).at(-1)!.query.get("filter")).toBe("(contactmeta_by_contactid.tags contains ('call me'))"));
});

test("saved votes are shown next to their values", async () => {
  const vote = { linkedin_url: "https://www.linkedin.com/in/p1", info: "P1@work.example", type: "businessemail", action: "upvote" };
  const sent = serve({ [LIST]: contacts(2), [`GET ${FEEDBACK}`]: { resource: [vote] } });
  draw(<MyContactsScreen />, { at: AT });
  expect(await screen.findByRole("img", { name: "You upvoted this" })).toBeVisible();
  const buttons = screen.getAllByRole("button", { name: "Upvote" });
  expect(buttons.map((one) => one.getAttribute("aria-pressed"))).toEqual(["mixed", "false"]);
  const asked = sent.find((one) => one.path === FEEDBACK)!;
  expect(asked.query.get("filter")).toBe("linkedin_url in ('https://www.linkedin.com/in/p1','https://www.linkedin.com/in/p2')");
  expect(asked.headers.get("X-Field-Encryption")).toBe("session-v1");
});

test("filters and sort order are in the URL and in the request", async () => {
  const sent = serve({ [LIST]: contacts(3) });
  const { where } = draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Has" }));
  await user.click(await screen.findByRole("checkbox", { name: "Cell Number" }));
  expect(screen.getByRole("button", { name: "Has Cell Number" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Verified" }));
  await user.click(await screen.findByRole("button", { name: "Name" }));
  await waitFor(() => expect(where()).toBe(`${AT}?order=name&phone=1&verified=1`));
  await waitFor(() =>
    expect(Object.fromEntries(lists(sent).at(-1)!.query)).toMatchObject({
      order: "name ASC",
      filter: "(phonecost=1) and (bus_email_validation='valid')",
    }),
  );
  expect(screen.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "ascending");
});

test("a search without results can be cleared", async () => {
  serve({ [LIST]: ({ query }: Sent) => (query.has("filter") ? { resource: [], meta: { count: 0 } } : contacts(2)) });
  const { where } = draw(<MyContactsScreen />, { at: `${AT}?email=1` });
  expect(await screen.findByText("no data found")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Clear search" }));
  expect(await screen.findByText("Person 2")).toBeVisible();
  expect(where()).toBe(AT);
});

test("one search covers names, titles and companies", async () => {
  const sent = serve({ [LIST]: ({ query }: Sent) => contacts(query.has("filter") ? 1 : 3) });
  draw(<MyContactsScreen />, { at: `${AT}?search=cedar` });
  expect(await screen.findByText("Person 1")).toBeVisible();
  const filter = lists(sent).at(-1)!.query.get("filter");
  expect(filter).toContain("(name ilike '%cedar%') or (title ilike '%cedar%') or (company ilike '%cedar%')");
});

test("beyond what one file may have, the first contacts are offered and the number is named", async () => {
  serve({ [LIST]: { resource: [contactAnswer(1)], meta: { count: 10_070 } } });
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Select the first 5,000, the most in one file" }));
  expect(screen.getByText("The first 5,000 found are selected")).toBeVisible();
  expect(screen.getByRole("button", { name: "Export Excel" })).toBeEnabled();
});

test("the selection counts hidden contacts, and selecting all found exports by filter", async () => {
  serve({ [LIST]: ({ query }: Sent) => ({ resource: [contactAnswer(query.has("filter") ? 9 : 1)], meta: { count: 40 } }) });
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Verified" }));
  expect(await screen.findByText("1 of them is not in this list")).toBeVisible();
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 9" }));
  expect(screen.getByText("2 selected")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Select all 40 found" }));
  expect(screen.getByText("All 40 found are selected")).toBeVisible();

  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(decodeURIComponent(url));
    return new Response("xlsx");
  });
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:file", revokeObjectURL: () => undefined }));
  await user.click(screen.getByRole("button", { name: "Export Excel" }));
  await waitFor(() => expect(asked[0]).toContain("filter=(bus_email_validation='valid')+and+(deleted=0)"));
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByRole("button", { name: "Export Excel" })).toBeDisabled();
});

test("the drawer shows all details of a contact and saves tags and note", async () => {
  const person = { full_name: "Person 2", title: "CTO", company: "Acme", country: "USA", emails: [], phone_numbers: ["+**********"], linkedinurl: "" };
  const sent = serve({
    [LIST]: { resource: [contactAnswer(1), contactAnswer(2, { phone_numbers: null, dialrevealedby: null })], meta: { count: 2 } },
    "POST searchurl": { data: [{ ...person, phone_encrypted: true, business_email_encrypted: false, personal_email_encrypted: false, bus_email_validation: null }] },
    "GET leads/_table/contactmeta": { resource: [{ contactid: 2, tags: ["hot"], note: "" }] },
    "POST contactmeta_addupdate": { resource: [{ contactid: 2, tags: ["hot", "call"], note: "" }] },
  });
  const { where } = draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Open Person 2" }));
  expect(where()).toBe(`${AT}?contact=2`);
  const drawer = within(await screen.findByRole("dialog"));
  expect((await drawer.findByRole("link", { name: "Acme" })).parentElement).toHaveTextContent("CTO · Acme · United States");
  expect(drawer.getByText(whole("p2@work.example"))).toBeVisible();
  expect(drawer.getByRole("button", { name: /^Reveal Cell Number, 1 credit/ })).toBeVisible();
  const tags = await drawer.findByLabelText("Tags");
  await user.type(tags, "call{Enter}");
  await user.type(drawer.getByLabelText("Note"), "back on Monday");
  await user.click(drawer.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Saved.")).toBeVisible();
  const [tagged, noted] = sent.filter(({ path }) => path === "contactmeta_addupdate");
  expect(tagged!.body).toEqual({ contactid: 2, tags: ["hot", "call"], note: "" });
  expect(noted!.body).toMatchObject({ contactid: 2, note: "back on Monday" });
  await user.click(drawer.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(where()).toBe(AT));
});
