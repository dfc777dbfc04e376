import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Match } from "../../api/people";
import { ErrorResponse, type Sent, draw, serve } from "../../testing/render";
import { PeopleSearchScreen } from "./PeopleSearchScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/peoplesearch";
const CREDITS = { contactcredit: 3, bus_email_credits: 4, personal_email_credits: 3 };

const match = (at: number, part: Partial<Match> = {}): Match => ({
  linkedinurl: `https://www.linkedin.com/in/p${at}`,
  full_name: `Person ${at}`,
  title: "Head of Sales",
  company: "Acme",
  company_domain: "acme.example",
  country: "DEU",
  city: "Berlin",
  has: ["directdial", "businessemail"],
  owned: [],
  owned_by: [],
  lastchecked: "2026-11-03T10:00:00Z",
  ...part,
});
const FOUND = { meta: { count: 40, estimated: false, next: "c2" }, resource: [match(1), match(2, { owned: ["directdial"], owned_by: [{ kind: "directdial", name: "Max Member", on: "2026-11-03T10:00:00Z" }] })] };
const LISTS = { "GET leads/_table/savedsearch": { resource: [] }, "GET leads/_table/contactlist": { resource: [] }, "POST searchcompanies": { meta: { count: 0 }, resource: [] } };
const price = ({ body }: Sent) => ({ price: 2, charged: body.dry_run ? 0 : 2, credits: CREDITS, resource: (body.linkedinurls ?? ["a", "b"]).map((linkedinurl: string) => ({ linkedinurl, charged: 1, status: "found" })) });

test("without a filter nothing is requested, and an example starts a search", async () => {
  const sent = serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  expect(screen.getByText("Who are you looking for?")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "C-level with a cell number" }));
  await waitFor(() => expect(where()).toBe(`${AT}?seniority=c_suite&has=directdial`));
  expect(await screen.findByText("40 people")).toBeVisible();
  expect(sent.find(({ path }) => path === "searchpeople")!.body).toEqual({ seniority: ["c_suite"], has: ["directdial"], limit: 25 });
});

test("a rejected search shows a retry button", async () => {
  serve({ "POST searchpeople": new ErrorResponse(429, { code: 429, message: "x", context: { reason: "search_limit", scope: "resource" } }), ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?city=Berlin` });
  expect(await screen.findByRole("button", { name: "Try again" })).toBeVisible();
});

test("adding, excluding and removing a filter updates the URL and the request", async () => {
  const sent = serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  await user.type(screen.getByRole("combobox", { name: "Company" }), "Acme{Enter}");
  await waitFor(() => expect(where()).toBe(`${AT}?company=Acme`));
  await user.click(screen.getByRole("button", { name: "Exclude Acme" }));
  await waitFor(() => expect(where()).toBe(`${AT}?company=%21Acme`));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "searchpeople")!.body).toEqual({ not: { company: ["Acme"] }, limit: 25 }));
  await user.click(screen.getByRole("button", { name: "Remove Acme" }));
  await waitFor(() => expect(where()).toBe(AT));
});

test("a select filter accepts only its listed values, by name", async () => {
  serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  await user.type(screen.getByRole("combobox", { name: "Country" }), "Atlantis{Enter}");
  expect(where()).toBe(AT);
  await user.clear(screen.getByRole("combobox", { name: "Country" }));
  await user.type(screen.getByRole("combobox", { name: "Country" }), "germany{Enter}");
  await waitFor(() => expect(where()).toBe(`${AT}?country=DEU`));
});

test("the search is copied for other programs, with its filters as a body", async () => {
  serve({ "POST searchpeople": FOUND, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?city=Berlin` });
  await user.click(await screen.findByRole("button", { name: "Copy as" }));
  await user.click(await screen.findByRole("menuitem", { name: "curl" }));
  expect(await screen.findByText("The request was copied for curl.")).toBeVisible();
  const copied = await navigator.clipboard.readText();
  expect(copied).toMatch(/^curl -s 'http:\/\/[^/]+\/api\/v2\/searchpeople' /);
  expect(copied).toContain(`-d '{"city":["Berlin"],"limit":25}'`);
});

test("a row shows the existing kinds and the team's reveals, but no values", async () => {
  serve({ "POST searchpeople": FOUND, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  const row = within((await screen.findByText("Person 2")).closest("tr")!);
  expect(row.getByRole("img", { name: /^Cell Number: 0 credits, Max Member revealed this on 3 Nov/ })).toBeVisible();
  expect(row.getByRole("img", { name: "Work Email" })).toBeVisible();
  expect(row.queryByRole("img", { name: /Secondary/ })).toBeNull();
  expect(row.getByText("Berlin, Germany")).toBeVisible();
});

test("selected people are priced first and then revealed within the ceiling", async () => {
  const sent = serve({ "POST searchpeople": FOUND, "POST revealmany": price, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select Person 2" }));
  await user.click(within(screen.getByRole("group", { name: "2 selected" })).getByRole("button", { name: "Reveal" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("2 credits")).toBeVisible();
  await user.click(await dialog.findByRole("button", { name: "Reveal for 2 credits" }));
  expect(await dialog.findByText("2 people revealed")).toBeVisible();
  const [asked, bought] = sent.filter(({ path }) => path === "revealmany").map(({ body }) => body);
  const linkedinurls = ["https://www.linkedin.com/in/p1", "https://www.linkedin.com/in/p2"];
  expect(asked).toEqual({ linkedinurls, kinds: ["directdial"], dry_run: true });
  expect(bought).toEqual({ linkedinurls, kinds: ["directdial"], max_credits: 2 });
});

test("a price above the ceiling shows an error, and nothing is revealed", async () => {
  const failure = new ErrorResponse(402, { code: 402, message: "The reveal costs 2 credits, more than the ceiling of 1.", context: { reason: "over_ceiling", scope: "resource" } });
  const sent = serve({ "POST searchpeople": FOUND, "POST revealmany": (one: Sent) => (one.body.dry_run ? price(one) : failure), ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("button", { name: "Reveal first 40" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("2 credits");
  await user.clear(dialog.getByLabelText("Spend at most"));
  await user.type(dialog.getByLabelText("Spend at most"), "1");
  await user.click(dialog.getByRole("button", { name: "Reveal for 2 credits" }));
  expect(await dialog.findByText(/more than you want to spend/)).toBeVisible();
  expect(sent.findLast(({ path }) => path === "revealmany")!.body).toEqual({ search: { company: ["Acme"] }, first: 40, kinds: ["directdial"], max_credits: 1 });
});

test("selected people can be added to a new shared list", async () => {
  const sent = serve({ "POST searchpeople": FOUND, "POST leads/_table/contactlist": { resource: [{ listid: 7, name: "Q1", shared: 1 }] }, "POST leads/_table/contactlistitem": { resource: [{ itemid: 1 }] }, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("button", { name: "Add to list" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(await dialog.findByLabelText("Name of the list"), "Q1");
  await user.click(dialog.getByRole("checkbox", { name: "Share with the team" }));
  await user.click(dialog.getByRole("button", { name: "Add 1 person" }));
  expect(await screen.findByText("1 person is on the list.")).toBeVisible();
  expect(sent.find(({ method, path }) => method === "POST" && path.endsWith("contactlist"))!.body).toEqual({ resource: [{ name: "Q1", shared: 1 }] });
  expect(sent.find(({ path }) => path.endsWith("contactlistitem"))!.body).toEqual({ resource: [{ listid: 7, linkedinurl: "https://www.linkedin.com/in/p1" }] });
});

test("a saved search shows the number of new people and opens with its filters", async () => {
  const saved = { savedsearchid: 4, appuserid: 1, name: "Heads", kind: "people", filters: { seniority: ["head"], not: { company: ["Basalt"] } }, shared: 0 };
  serve({ "POST searchpeople": FOUND, ...LISTS, "GET leads/_table/savedsearch": { resource: [saved] }, "POST searchnews": { resource: [{ savedsearchid: 4, new: 12 }] } });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Saved searches" }));
  expect(await screen.findByText("12 new")).toBeVisible();
  await user.click(screen.getByRole("button", { name: /12 new$/ }));
  await waitFor(() => expect(where()).toBe(`${AT}?seniority=head&company=%21Basalt`));
});

test("more people are loaded page by page", async () => {
  const more = { meta: { count: 40, estimated: false, next: null }, resource: [match(3)] };
  const sent = serve({ "POST searchpeople": ({ body }: Sent) => (body.cursor ? more : FOUND), ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText("Person 3")).toBeVisible();
  expect(sent.findLast(({ path }) => path === "searchpeople")!.body.cursor).toBe("c2");
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a file with unknown columns can be imported after mapping them", async () => {
  const needed = new ErrorResponse(422, { code: 422, message: "Say which column has the profile address.", context: { reason: "mapping_needed", columns: ["Adr", "X"], fields: {} } });
  const done = { columns: ["Adr", "X"], mapping: { Adr: "linkedinurl" }, total: 3, added: 1, present: 1, duplicates: 0, not_found: 1, resource: [] };
  const sent = serve({ ...LISTS, "GET leads/_table/contactlist": { resource: [{ listid: 7, name: "Leads" }] }, "POST listimport": ({ body }: Sent) => (body.mapping ? done : needed) });
  draw(<PeopleSearchScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Lists" }));
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

test("a file is shown before it is imported, and becomes the first list", async () => {
  const found = {
    columns: ["Prénom", "Nom", "URL", "Ville"], mapping: { Prénom: "firstname", Nom: "lastname", URL: "linkedinurl" }, encoding: "cp1252",
    preview: [["Zoë", "Lefèvre", "https://www.linkedin.com/in/zo%C3%AB", "Paris"]], total: 1, added: 1, present: 0, duplicates: 0, not_found: 0, resource: [],
  }; // prettier-ignore
  let lists: object[] = [];
  const sent = serve({
    ...LISTS,
    "GET leads/_table/contactlist": () => ({ resource: lists }),
    "POST leads/_table/contactlist": ({ body }: Sent) => {
      lists = [{ listid: 9, name: "export" }];
      return { resource: [{ listid: 9, ...(body as { resource: object[] }).resource[0] }] };
    },
    "POST listimport": found,
  });
  draw(<PeopleSearchScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Lists" }));
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
  const given = { listid: 9, file: "Wm/r" };
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
  const sent = serve({ ...LISTS, "GET leads/_table/contactlist": { resource: [{ listid: 7, name: "Leads" }] }, "GET listexport": unsplit });
  draw(<PeopleSearchScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Lists" }));
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
