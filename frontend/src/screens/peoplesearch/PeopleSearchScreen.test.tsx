import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Match } from "../../api/people";
import { contactAnswer } from "../../testing/answers";
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
  industry: "Software",
  company_size: "51-200",
  country: "DEU",
  city: "Berlin",
  has: ["directdial", "businessemail"],
  owned: [],
  owned_by: [],
  ...part,
});
const FOUND = { meta: { count: 40, estimated: false, next: "c2" }, resource: [match(1), match(2, { owned: ["directdial"], owned_by: [{ kind: "directdial", name: "Max Member", on: "2026-11-03T10:00:00Z", contactid: 9 }] })] };
const FACETS: Record<string, { value: string; count: number }[]> = {
  company: [{ value: "Acme Freight", count: 7 }, { value: "Acme", count: 4 }],
  country: [{ value: "DEU", count: 30 }, { value: "FRA", count: 12 }],
};
const facets = ({ body }: Sent) => ({ estimated: false, resource: (FACETS[body.field] ?? []).filter(({ value }) => value.toLowerCase().includes(body.text.toLowerCase())) });
const contact = contactAnswer(9, { phone_numbers: "+4915112345678", emails: "[]", business_emails: "", linkedinurl: "https://www.linkedin.com/in/p2" });
const LISTS = {
  "GET leads/_table/savedsearch": { resource: [] },
  "GET leads/_table/contactlist": { resource: [] },
  "GET leads/_table/usercontact": { resource: [contact] },
  "POST searchfacets": facets,
};
const price = ({ body }: Sent) => ({ price: 2, charged: body.dry_run ? 0 : 2, credits: CREDITS, resource: (body.linkedinurls ?? ["a", "b"]).map((linkedinurl: string) => ({ linkedinurl, charged: 1, status: "found" })) });

test("people are shown before any filter, and an example starts a search", async () => {
  const sent = serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  expect(await screen.findByText("40 people")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Reveal first 40" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "C-level with a cell number" }));
  await waitFor(() => expect(where()).toBe(`${AT}?seniority=c_suite&has=directdial`));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "searchpeople")!.body).toEqual({ seniority: ["c_suite"], has: ["directdial"], limit: 25 }));
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
  await user.click(await screen.findByRole("button", { name: "Exclude Acme" }));
  await waitFor(() => expect(where()).toBe(`${AT}?company=%21Acme`));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "searchpeople")!.body).toEqual({ not: { company: ["Acme"] }, limit: 25 }));
  await user.click(screen.getByRole("button", { name: "Remove Acme" }));
  await waitFor(() => expect(where()).toBe(AT));
});

test("a filter takes only values that exist, the first match on Enter, several one after the other", async () => {
  const sent = serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  const country = screen.getByRole("combobox", { name: "Country" });
  await user.type(country, "Atlantis{Enter}");
  expect(await screen.findAllByText("Nobody here matches “Atlantis”")).not.toHaveLength(0);
  expect(where()).toBe(AT);
  await user.clear(country);
  await user.type(country, "ger{Enter}");
  await waitFor(() => expect(where()).toBe(`${AT}?country=DEU`));
  expect(await screen.findByRole("option", { name: /^France 12/ })).toBeVisible();
  await user.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(where()).toBe(`${AT}?country=DEU&country=FRA`));
  expect(screen.getAllByRole("option", { selected: true })).toHaveLength(2);
  expect(sent.find(({ path }) => path === "searchfacets")!.body).toEqual({ field: "country", text: "", people: {} });
});

test("pasted lines become values", async () => {
  serve({ "POST searchpeople": FOUND, ...LISTS });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  await user.click(screen.getByRole("combobox", { name: "Country" }));
  await user.paste("Germany\nAtlantis\nFrance");
  await waitFor(() => expect(where()).toBe(`${AT}?country=DEU&country=FRA`));
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

test("a row has the values that were revealed and the kinds that are left", async () => {
  const sent = serve({ "POST searchpeople": FOUND, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  const row = within((await screen.findByText("Person 2")).closest("tr")!);
  expect(await row.findByRole("link", { name: /45678$/ })).toHaveAttribute("href", "tel:+4915112345678");
  expect(row.getByRole("img", { name: "Work Email" })).toBeVisible();
  expect(row.queryByRole("img", { name: /Secondary/ })).toBeNull();
  expect(row.getByText("Berlin, Germany")).toBeVisible();
  expect(sent.find(({ path }) => path.endsWith("usercontact"))!.query.get("filter")).toContain("(contactid in (9))");
});

test("a kind of a colleague that is not in the own list is free", async () => {
  serve({ "POST searchpeople": FOUND, ...LISTS, "GET leads/_table/usercontact": { resource: [] } });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  const row = within((await screen.findByText("Person 2")).closest("tr")!);
  expect(await row.findByRole("img", { name: /^Cell Number: 0 credits, Max Member revealed this on 3 Nov/ })).toBeVisible();
  expect(row.getByRole("button", { name: "Reveal Person 2" })).toBeVisible();
});

test("after a purchase the values are in the rows, and the people stay selected", async () => {
  const bought: Match[] = [1, 2].map((at) => match(at, { has: ["directdial"], owned: ["directdial"], owned_by: [{ kind: "directdial", name: "Ann", on: "2026-11-03T10:00:00Z", contactid: at }] }));
  let paid = false;
  const sent = serve({
    ...LISTS,
    "POST searchpeople": () => (paid ? { ...FOUND, resource: bought } : FOUND),
    "POST revealmany": (one: Sent) => {
      paid ||= !one.body.dry_run;
      return price(one);
    },
    "GET leads/_table/usercontact": () => ({ resource: [1, 2].map((at) => contactAnswer(at, { phone_numbers: `+141555501${at}0` })) }),
  });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select Person 2" }));
  await user.click(within(screen.getByRole("group", { name: "2 selected" })).getByRole("button", { name: "Reveal" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("2 credits")).toBeVisible();
  expect(dialog.queryByLabelText("Spend at most")).toBeNull();
  await user.click(await dialog.findByRole("button", { name: "Reveal for 2 credits" }));
  expect(await screen.findByText("2 people revealed. 2 credits were charged.")).toBeVisible();
  const row = within(screen.getByText("Person 1").closest("tr")!);
  expect(await row.findByRole("link", { name: /0110$/ })).toBeVisible();
  expect(row.getByRole("button", { name: "Open Person 1" })).toBeVisible();
  expect(screen.getByRole("group", { name: "2 selected" })).toBeVisible();
  const [asked, spent] = sent.filter(({ path }) => path === "revealmany").map(({ body }) => body);
  const linkedinurls = ["https://www.linkedin.com/in/p1", "https://www.linkedin.com/in/p2"];
  expect(asked).toEqual({ linkedinurls, kinds: ["directdial"], dry_run: true });
  expect(spent).toEqual({ linkedinurls, kinds: ["directdial"], max_credits: 2 });
});

test("J and K move, X ticks, C copies, R reveals and Enter opens the person", async () => {
  serve({ "POST searchpeople": FOUND, "POST revealmany": price, "POST searchurl": { data: [] }, "GET leads/_table/contactlistitem": { resource: [] }, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await screen.findByRole("link", { name: /45678$/ });
  await user.keyboard("jjx");
  expect(screen.getByRole("checkbox", { name: "Select Person 2" })).toBeChecked();
  await user.keyboard("c");
  await waitFor(async () => expect(await navigator.clipboard.readText()).toBe("+4915112345678"));
  await user.keyboard("k{Enter}");
  expect(await screen.findByRole("dialog", { name: "Person 1" })).toBeVisible();
  await user.keyboard("j");
  expect(await screen.findByRole("dialog", { name: "Person 2" })).toBeVisible();
  await user.keyboard("r");
  expect(await screen.findByRole("dialog", { name: "Reveal Person 2" })).toBeVisible();
});

test("Shift takes every row since the last tick", async () => {
  serve({ "POST searchpeople": { ...FOUND, resource: [1, 2, 3, 4].map((at) => match(at)) }, ...LISTS });
  draw(<PeopleSearchScreen />, { at: `${AT}?company=Acme` });
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 1" }));
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select Person 4" }));
  await user.keyboard("{/Shift}");
  expect(screen.getByRole("group", { name: "4 selected" })).toBeVisible();
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
  expect(await screen.findByText("1 person is on “Q1”.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Open list" })).toBeVisible();
  expect(sent.find(({ method, path }) => method === "POST" && path.endsWith("contactlist"))!.body).toEqual({ resource: [{ name: "Q1", shared: 1 }] });
  expect(sent.find(({ path }) => path.endsWith("contactlistitem"))!.body).toEqual({ resource: [{ listid: 7, linkedinurl: "https://www.linkedin.com/in/p1" }] });
});

test("a saved search shows the number of new people and opens with its filters", async () => {
  const saved = { savedsearchid: 4, appuserid: 1, name: "Heads", kind: "people", filters: { seniority: ["head"], not: { company: ["Basalt"] } }, shared: 0 };
  serve({ "POST searchpeople": FOUND, ...LISTS, "GET leads/_table/savedsearch": { resource: [saved] }, "POST searchnews": { resource: [{ savedsearchid: 4, new: 12 }] } });
  const { where } = draw(<PeopleSearchScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: /^Saved searches ?12 new people match$/ }));
  await user.click(await screen.findByRole("button", { name: /^Heads ?12 new people match$/ }));
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
