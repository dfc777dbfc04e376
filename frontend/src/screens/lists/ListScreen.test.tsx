import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Listed } from "../../api/people";
import { accountAnswer, contactAnswer } from "../../testing/answers";
import { ErrorResponse, type Sent, draw, serve } from "../../testing/render";
import { ListScreen } from "./ListScreen";
import { ListsScreen } from "./ListsScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/lists/7";
const ROUTE = { at: AT, route: "/dashboard/main/lists/:listid" };
const me = accountAnswer();

const list = (part = {}) => ({ listid: 7, appuserid: me.appuserid, name: "Leads", shared: 0, createdon: "2026-11-03T10:00:00Z", ...part });
const listed = (at: number, part: Partial<Listed> = {}): Listed => ({
  itemid: 70 + at,
  linkedinurl: `https://www.linkedin.com/in/p${at}`,
  full_name: `Person ${at}`,
  title: "Head of Sales",
  company: "Acme",
  country: "DEU",
  city: "Berlin",
  has: ["directdial"],
  owned: [],
  owned_by: [],
  tags: [],
  note: "",
  addedby: "Ann",
  createdon: "2026-11-03T10:00:00Z",
  ...part,
});
const OWNED = listed(2, { owned: ["directdial"], owned_by: [{ kind: "directdial", name: "Ann", on: "2026-11-03T10:00:00Z", contactid: 2 }] });
const ANSWERS = {
  "GET leads/_table/contactlist": { resource: [list()] },
  "GET leads/_table/usercontact": { resource: [contactAnswer(2, { phone_numbers: "+4915112345678" })] },
  "POST listpeople": { meta: { count: 2 }, resource: [listed(1), OWNED] },
};

test("a list that does not exist, or is of somebody else, leads to the lists", async () => {
  serve({ ...ANSWERS, "GET leads/_table/contactlist": { resource: [] }, "POST listpeople": new ErrorResponse(404, { code: 404, message: "There is no such list." }) });
  draw(<ListScreen />, ROUTE);
  expect(await screen.findByText("There is no such list")).toBeVisible();
  expect(screen.getByRole("link", { name: "Lists" })).toHaveAttribute("href", "/dashboard/main/lists");
});

test("only its creator can rename, share or delete a list", async () => {
  serve({ ...ANSWERS, "GET leads/_table/contactlist": { resource: [list({ appuserid: 99, shared: 1 })] } });
  draw(<ListScreen />, ROUTE);
  expect(await screen.findByText("Person 1")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Actions for Leads" })).toBeNull();
});

test("a list shows its people with their values, and can be searched and narrowed to what is left", async () => {
  const sent = serve(ANSWERS);
  const { where } = draw(<ListScreen />, ROUTE);
  expect(await screen.findByRole("heading", { name: "Leads" })).toBeVisible();
  const row = within((await screen.findByText("Person 2")).closest("tr")!);
  expect(await row.findByRole("link", { name: /45678$/ })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Something left to reveal" }));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "listpeople")!.body).toMatchObject({ listid: 7, revealed: false }));
  await user.type(screen.getByRole("textbox", { name: "Search name, title or company" }), "acme");
  await waitFor(() => expect(where()).toBe(`${AT}?left=1&search=acme`));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "listpeople")!.body).toMatchObject({ text: "acme" }));
  await user.click(screen.getByRole("button", { name: "Person" }));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "listpeople")!.body).toMatchObject({ order: "name", text: "acme" }));
});

test("the rest of a list is revealed for a price that is shown before", async () => {
  const sent = serve({
    ...ANSWERS,
    "POST listpeople": ({ body }: Sent) => (body.revealed === false ? { meta: { count: 1 }, resource: [listed(1)] } : ANSWERS["POST listpeople"]),
    "POST revealmany": ({ body }: Sent) => ({ price: 1, charged: body.dry_run ? 0 : 1, credits: {}, resource: [{ linkedinurl: body.linkedinurls[0], contactid: 1, charged: 1, status: "found" }] }),
  });
  draw(<ListScreen />, ROUTE);
  await user.click(await screen.findByRole("button", { name: "Reveal the rest" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Reveal 1 person" }));
  await user.click(await dialog.findByRole("button", { name: "Reveal for 1 credit" }));
  expect(await screen.findByText("1 person revealed. 1 credit was charged.")).toBeVisible();
  expect(sent.findLast(({ path }) => path === "revealmany")!.body).toMatchObject({ linkedinurls: ["https://www.linkedin.com/in/p1"], max_credits: 1 });
});

test("people are taken off, and the list is renamed, shared and deleted", async () => {
  const sent = serve({
    ...ANSWERS,
    "DELETE leads/_table/contactlistitem": { resource: [] },
    "PATCH leads/_table/contactlist": { resource: [list()] },
    "DELETE leads/_table/contactlist/7": { resource: [] },
  });
  const { where } = draw(<ListScreen />, ROUTE);
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Remove from list" }));
  expect(await screen.findByText("1 person was removed from “Leads”.")).toBeVisible();
  expect(sent.find(({ method }) => method === "DELETE")!.body).toEqual({ resource: [{ itemid: 71 }] });

  await user.click(screen.getByRole("button", { name: "Actions for Leads" }));
  await user.click(await screen.findByRole("menuitem", { name: "Rename" }));
  const name = await screen.findByLabelText("Name of the list");
  await user.clear(name);
  await user.type(name, "Hot{Enter}");
  await waitFor(() => expect(screen.queryByLabelText("Name of the list")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Actions for Leads" }));
  await user.click(await screen.findByRole("menuitem", { name: "Share with the team" }));
  expect(await screen.findByText("The team now sees this list.")).toBeVisible();
  expect(sent.filter(({ method }) => method === "PATCH").map(({ body }) => body.resource)).toEqual([[{ listid: 7, name: "Hot" }], [{ listid: 7, shared: 1 }]]);

  await user.click(screen.getByRole("button", { name: "Actions for Leads" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete list" }));
  await user.click(await screen.findByRole("button", { name: "Delete list" }));
  await waitFor(() => expect(where()).toBe("/dashboard/main/lists"));
});

test("a file with unknown columns can be imported after mapping them", async () => {
  const needed = new ErrorResponse(422, { code: 422, message: "Say which column has the profile address.", context: { reason: "mapping_needed", columns: ["Adr", "X"], fields: {} } });
  const done = { columns: ["Adr", "X"], mapping: { Adr: "linkedinurl" }, total: 3, added: 1, present: 1, duplicates: 0, not_found: 1, resource: [] };
  const sent = serve({ ...ANSWERS, "POST listimport": ({ body }: Sent) => (body.mapping ? done : needed) });
  draw(<ListScreen />, ROUTE);
  await user.click(await screen.findByRole("button", { name: "Import and export" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(await dialog.findByLabelText("Import people"), "Adr;X");
  await user.click(dialog.getByRole("button", { name: "Import" }));
  await user.selectOptions(await dialog.findByLabelText("Adr"), "Profile address");
  await user.click(dialog.getByRole("button", { name: "Import" }));
  expect(await dialog.findByText("1 added, 1 already on the list, 0 duplicates in the file, 1 not found.")).toBeVisible();
  expect(sent.filter(({ path }) => path === "listimport").map(({ body }) => body)).toEqual([
    { listid: 7, text: "Adr;X", mapping: null },
    { listid: 7, text: "Adr;X", mapping: { Adr: "linkedinurl" } },
  ]);
});

test("a file is shown as people before it is imported", async () => {
  const found = {
    columns: ["Prénom", "Nom", "URL", "Ville"], mapping: { Prénom: "firstname", Nom: "lastname", URL: "linkedinurl" }, encoding: "cp1252",
    preview: [["Zoë", "Lefèvre", "https://www.linkedin.com/in/zo%C3%AB", "Paris"]], total: 1, added: 1, present: 0, duplicates: 0, not_found: 0, resource: [],
  }; // prettier-ignore
  const sent = serve({ ...ANSWERS, "POST listimport": found });
  draw(<ListScreen />, ROUTE);
  await user.click(await screen.findByRole("button", { name: "Import and export" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByLabelText("Import people");
  await user.upload(document.querySelector<HTMLInputElement>("input[type=file]")!, new File([new Uint8Array([0x5a, 0x6f, 0xeb])], "export.csv"));
  expect(await dialog.findByText("1 person will be added.")).toBeVisible();
  expect(dialog.getByRole("listitem")).toHaveTextContent("Zoë Lefèvre linkedin.com/in/zoë");
  await user.click(dialog.getByText("3 of 4 columns are used"));
  await user.selectOptions(dialog.getByLabelText("Ville"), "Note");
  await user.selectOptions(await dialog.findByLabelText(/^Letters look wrong/), "Central Europe (Windows)");
  await user.click(await dialog.findByRole("button", { name: "Import" }));
  expect(await dialog.findByText(/^1 added, 0 already/)).toBeVisible();
  const given = { listid: 7, file: "Wm/r" };
  const { mapping } = found;
  expect(sent.filter(({ path }) => path === "listimport").map(({ body }) => body)).toEqual([
    { ...given, encoding: "", mapping: null, dry_run: true },
    { ...given, encoding: "", mapping: { ...mapping, Ville: "note" }, dry_run: true },
    { ...given, encoding: "cp1250", mapping: null, dry_run: true },
    { ...given, encoding: "cp1250", mapping: null },
  ]);
});

test("names without a clear last name are shown before an export for a CRM", async () => {
  const unsplit = { resource: [{ full_name: "王小明", firstname: "", lastname: "王小明" }] };
  const sent = serve({ ...ANSWERS, "GET listexport": unsplit });
  draw(<ListScreen />, ROUTE);
  await user.click(await screen.findByRole("button", { name: "Import and export" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.selectOptions(await dialog.findByLabelText("Export for"), "Salesforce");
  const name = within(await dialog.findByRole("group", { name: "王小明" }));
  await user.type(name.getByLabelText("First name"), "小明");
  await user.clear(name.getByLabelText(/^Last name/));
  expect(name.getByText("Without a last name, the full name is used.")).toBeVisible();
  await user.type(name.getByLabelText(/^Last name/), "王");
  await user.click(dialog.getByRole("button", { name: "CSV" }));
  const queries = () => sent.filter(({ path }) => path === "listexport").map(({ query }) => Object.fromEntries(query));
  await waitFor(() =>
    expect(queries()).toEqual([
      { listid: "7", preview: "true" },
      { listid: "7", format: "csv", form: "salesforce", names: '{"王小明":["小明","王"]}' },
    ]),
  );
});

test("a page past the end of a list becomes the last one", async () => {
  serve({ ...ANSWERS, "POST listpeople": ({ body }: Sent) => ({ meta: { count: 2 }, resource: body.offset ? [] : [listed(1), OWNED] }) });
  const { where } = draw(<ListScreen />, { ...ROUTE, at: `${AT}?page=9` });
  expect(await screen.findByText("Person 1")).toBeVisible();
  expect(where()).toBe(`${AT}?page=1`);
});

test("the lists are named with who sees them, and a new one opens", async () => {
  serve({ "GET leads/_table/contactlist": { resource: [list({ people: 12 }), list({ listid: 8, name: "Team", shared: 1, appuserid: 99 })] }, "POST leads/_table/contactlist": { resource: [list({ listid: 9 })] } });
  const { where } = draw(<ListsScreen />, { at: "/dashboard/main/lists" });
  expect(await screen.findByRole("row", { name: /^Leads Only you 12/ })).toBeVisible();
  expect(screen.getByRole("row", { name: /^Team The team/ })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "New list" }));
  await user.type(await screen.findByLabelText("Name of the list"), "Hot{Enter}");
  await waitFor(() => expect(where()).toBe("/dashboard/main/lists/9"));
});
