import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { loadLanguage } from "../../lib/language";
import { setConfig } from "../../api/config";
import { CONFIG, accountAnswer, contactAnswer, planAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { DashboardMainScreen } from "./DashboardMainScreen";

const COUNTERS = { contacts: 1234, phones: 11, workemails: 22, personalemails: 33, members: 4, apikeys: 5 };
const DAY = { date: "2026-03-14", count: 7, people: 3 };
const TEAM = { resource: [{ appuserid: 1, name: "Ada Lovelace", avatar: null }], meta: { count: 1 } };

type Me = Parameters<typeof accountAnswer>[0];

function show(me: Me = {}, replies = {}) {
  vi.useFakeTimers({ now: new Date("2026-03-15T12:00:00Z"), toFake: ["Date"] });
  const sent = serve({
    "POST getrevealcount": { totalrevealcount: 3, days: [DAY] },
    "POST datascript/appcounters": { data: COUNTERS },
    "GET leads/_table/usercontact": { resource: [contactAnswer(7)] },
    "GET leads/_table/appuser": TEAM,
    "GET leads/_table/apikeys": { resource: [] },
    "GET leads/_table/apiusage": { resource: [], meta: { count: 26 } },
    ...replies,
  });
  draw(<DashboardMainScreen />, { at: "/dashboard/main/dashboardmain", me: accountAnswer(me) });
  return sent;
}

const card = (name: string) => within(screen.getByRole("region", { name }));
const OVER = { contactcredit: 0 };
const FREE = planAnswer(1, "Free", { price: 0 });
const CUSTOM = planAnswer(9, "Custom", { price: -1, validity: 365 });
const PAST = "2026-03-01 00:00:00+00";

test.each<[string, Me, string[]]>([
  ["paid and renewing", {}, ["Renews on 20 Dec 2099"]],
  ["cancelled", { subscription: { autorenew: 0 } }, ["subscription cancelled, it ends on 20 Dec 2099"]],
  ["expired", { subscription: { expirydate: PAST } }, ["subscription expired"]],
  ["expired without credits", { subscription: { expirydate: PAST }, credits: OVER }, ["subscription expired"]],
  ["without credits", { credits: OVER }, ["credits over", "Renews on 20 Dec 2099"]],
  ["cancelled without credits", { credits: OVER, subscription: { autorenew: 0 } }, ["credits over", "subscription cancelled, it ends on 20 Dec 2099"]],
  ["on the free plan", { plan: FREE }, ["Renews automatically on 20 Dec 2099"]],
  [
    "downgraded from the next period on",
    { subscription: { downgrade_planid: 2, downgrade_startson: "2099-12-20 00:00:00+00" } },
    ["Changes to a lower plan on 20 Dec 2099"],
  ],
])("the status of a plan that is %s is shown", (_, me, notes) => {
  show(me);
  const found = card("Subscription");
  expect(found.getAllByText(/Renews|Changes|subscription|credits over/i, { selector: "[data-standing]" }).map((one) => one.textContent)).toEqual(notes);
});

test.each<[Me, string, string]>([
  [{}, "Starter", "$49 per month"],
  [{ plan: planAnswer(6, "Starter yearly", { price: 1490, validity: 365 }) }, "Starter yearly", "$1,490 per year"],
  [{ plan: FREE }, "Free", "Free"],
  [{ plan: CUSTOM }, "Custom", "∞ per year"],
])("the name and price of the plan are shown", (me, name, price) => {
  show(me);
  const found = card("Subscription");
  expect(found.getByRole("heading", { name })).toBeVisible();
  expect(found.getByText((_, element) => element?.tagName === "P" && element.textContent === price)).toBeVisible();
});

test("without a plan, a subscribe button replaces price and renewal date", () => {
  const me = accountAnswer();
  show({ client_by_clientid: { ...me.client_by_clientid!, usersubscription_by_clientid: [] } });
  const found = card("Subscription");
  expect(found.getByRole("heading", { name: "no plans added" })).toBeVisible();
  expect(found.getByRole("button", { name: "Subscribe now" })).toHaveAttribute("href", "/dashboard/upgradeplan");
  expect(found.queryByText(/\$|Renews/)).toBeNull();
});

test.each<[Me, string | null]>([
  [{}, "Upgrade"],
  [{ plan: FREE }, "View Plans"],
  [{ role: "member" }, null],
])("only an owner sees the button for the plans", (me, label) => {
  show(me);
  const names = card("Subscription").getAllByRole("button").map((one) => one.textContent);
  expect(names).toEqual(label ? [label, "Download Extension"] : ["Download Extension"]);
});

test("remaining credits are shown as a number and a percentage", () => {
  show({ credits: { contactcredit: 1000, seatcount: 2, apicallcount: 1 } });
  expect(card("Seats").getByText((_, one) => one?.textContent === "2/5")).toBeVisible();
  expect(card("Seats").getByText("40%")).toBeVisible();
  expect(card("API Calls").getByText("50%")).toBeVisible();
  expect(card("Subscription").getByText("1,000")).toBeVisible();
});

test("the seats show their users", async () => {
  const six = ["Ada", "Max", "Eva", "Tom", "Kim", "Lou"].map((name, appuserid) => ({ appuserid, name, avatar: null }));
  show({}, { "GET leads/_table/appuser": { resource: six, meta: { count: 12 } } });
  expect(await card("Seats").findByRole("img", { name: "Ada, Max, Eva, Tom, and 8 more" })).toBeVisible();
  expect(card("Seats").getByText("+8")).toBeVisible();
});

test.each<[string, (string | null)[]]>([
  ["No key yet", []],
  ["Not used yet", [null]],
  ["Last used 9 Mar", [null, "2026-03-09T10:00:00Z", "2026-03-08T10:00:00Z"]],
])("the API card shows the last use of a key: %s", async (text, uses) => {
  show({}, { "GET leads/_table/apikeys": { resource: uses.map((lastused, keyid) => ({ keyid, lastused })) } });
  expect(await card("API Calls").findByText(text)).toBeVisible();
});

test("a member does not request the team or the keys", async () => {
  const sent = show({ role: "member" });
  await card("Recent reveals").findByRole("link", { name: /Person 7/ });
  expect(sent.map(({ path }) => path)).not.toContainEqual(expect.stringMatching(/appuser|apikeys/));
});

test("percentages are 0% without an allowance and at most 100%", () => {
  show({ credits: { seatcount: 9, apicallcount: 3 }, plan: planAnswer(2, "Starter", { availableapicall: 0 }) });
  expect(card("Seats").getByText("100%")).toBeVisible();
  expect(card("API Calls").getByText("0%")).toBeVisible();
});

test("the chart of revealed contacts has one bar per day for 7 and 90 days", async () => {
  const sent = show();
  const user = userEvent.setup();
  const found = card("Revealed contacts");
  await waitFor(() => expect(found.getByRole("status")).toHaveTextContent("3"));
  expect(found.getByRole("radio", { name: "Last 7 days" })).toBeChecked();
  const bars = () => found.getByRole("img").querySelectorAll("rect");
  expect(bars()).toHaveLength(7);
  expect(found.getByText("14 Mar 2026: 3")).toBeInTheDocument();
  await user.click(found.getByRole("radio", { name: "Last 90 days" }));
  await waitFor(() => expect(bars()).toHaveLength(90));
  const asked = sent.filter(({ path }) => path === "getrevealcount").map(({ body }) => [body.revealedby, body.date]);
  expect(asked).toEqual([
    [1, "2026-03-02"],
    [1, "2025-09-17"],
  ]);
});

test("reveals are compared with the previous period, and the owner can switch to the team", async () => {
  const sent = show({}, { "POST getrevealcount": { totalrevealcount: 5, days: [DAY, { date: "2026-03-04", count: 4, people: 2 }] } });
  expect(await card("Revealed").findByText("50% more than the 7 days before")).toBeVisible();
  await userEvent.click(card("Revealed contacts").getByRole("radio", { name: "Team" }));
  expect(await card("Revealed contacts").findByText(/people revealed by your team/)).toBeVisible();
  expect(sent.findLast(({ path }) => path === "getrevealcount")!.body).toMatchObject({ team: true });
});

test("people and values are counted separately", async () => {
  show();
  expect(await card("Revealed").findByText("people")).toBeVisible();
  expect(card("Revealed").getByText("7 values, last 7 days")).toBeVisible();
  expect(card("Revealed contacts").getByRole("status")).toHaveTextContent("3 people revealed by you");
});

test("a period without reveals shows a message", async () => {
  show({}, { "POST getrevealcount": { totalrevealcount: 0, people: 0, days: [] } });
  expect(await card("Revealed contacts").findByText("No one was revealed in this period.")).toBeVisible();
});

test("the API calls of this month are counted", async () => {
  show({}, { "GET leads/_table/apikeys": { resource: [{ keyid: 1, lastused: null }] } });
  expect(await card("API Calls").findByText("26 calls this month")).toBeVisible();
});

test("a plan without API access shows a hint and a link to the plans", () => {
  show({ plan: planAnswer(2, "Starter") });
  expect(card("API Calls").getByText("API access is part of Business and Enterprise.")).toBeVisible();
  expect(card("API Calls").getByRole("link", { name: "API Calls" })).toHaveAttribute("href", "/dashboard/upgradeplan");
});

test("a member sees only their own reveals", async () => {
  show({ role: "member" });
  expect(await card("Recent reveals").findByRole("link", { name: /Person 7/ })).toHaveAttribute("href", "/dashboard/main/mycontacts?contact=7");
  expect(screen.queryByRole("radio", { name: "Team" })).toBeNull();
});

test("a new account sees the first steps instead of empty counters", async () => {
  show({}, { "POST datascript/appcounters": { data: { ...COUNTERS, contacts: 0, members: 0 } } });
  const steps = within(await screen.findByRole("region", { name: "Get started" })).getAllByRole("link");
  expect(steps.map((one) => one.querySelector("strong")!.textContent)).toEqual([
    "Look someone up",
    "Get the extension",
    "Invite your team",
    "Export your contacts",
  ]);
  expect(screen.queryByRole("region", { name: "So far" })).toBeNull();
  // The checklist comes before the empty statistics.
  const order = screen.getByRole("region", { name: "Get started" }).compareDocumentPosition(screen.getByRole("region", { name: "Subscription" }));
  expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

test("prices are formatted in the selected language", async () => {
  await loadLanguage("de");
  show();
  expect(card("Abonnement").getByText(/^49.\$/)).toBeVisible();
});

test("the company counters are shown", async () => {
  show();
  const found = card("So far");
  expect(await found.findByText("1,234")).toBeVisible();
  expect(found.getAllByRole("definition").map((one) => one.textContent)).toEqual(["1,234", "11", "22", "33", "4", "5"]);
});

test("counters that fail to load show the error and a retry button, and the rest still works", async () => {
  const broken = new ErrorResponse(503, { code: 503, message: "busy", context: { reason: "busy", scope: "resource" } });
  show({}, { "POST getrevealcount": broken, "POST datascript/appcounters": broken });
  expect(await card("Revealed contacts").findByText("–", undefined, { timeout: 10_000 })).toBeVisible();
  await waitFor(() => expect(card("So far").getAllByRole("definition").map((one) => one.textContent)).toEqual(Array(6).fill("–")));
  expect(card("Subscription").getByRole("heading", { name: "Starter" })).toBeVisible();
  for (const name of ["Revealed contacts", "So far"]) expect(card(name).getByRole("alert")).toHaveTextContent("busy");
  serve({ "POST datascript/appcounters": { data: COUNTERS } });
  await userEvent.click(card("So far").getByRole("button", { name: "Try again" }));
  expect(await card("So far").findByText("1,234")).toBeVisible();
  expect(card("So far").queryByRole("alert")).not.toBeInTheDocument();
}, 15_000);

test.each([
  ["https://www.linkedin.com/in/maya/", "/dashboard/main/search?url=linkedin.com%2Fin%2Fmaya"],
  ["Maya Thornton", "/dashboard/main/peoplesearch?name=Maya%20Thornton"],
])("the search box accepts %s", async (text, to) => {
  show();
  await userEvent.type(screen.getByLabelText("Find someone"), `${text}{Enter}`);
  expect(await screen.findByText(`at ${to.split("?")[0]}`)).toBeVisible();
});

test("several pasted addresses open the bulk lookup, and invalid input shows an error", async () => {
  show();
  const box = screen.getByLabelText("Find someone");
  await userEvent.type(box, "12345{Enter}");
  expect(screen.getByText("Please input correct url")).toBeVisible();
  await userEvent.clear(box);
  await userEvent.paste("linkedin.com/in/a\nlinkedin.com/in/b");
  expect(await screen.findByText("at /dashboard/main/bulklookup")).toBeVisible();
});

test("a new account sees example people", async () => {
  const one = { full_name: "Mia Carter", title: "CTO", company: "Orchard Labs", linkedinurl: "https://www.linkedin.com/in/mia" };
  setConfig({ ...CONFIG, demo: true, examples: [one] });
  show({}, { "POST datascript/appcounters": { data: { ...COUNTERS, contacts: 0 } } });
  expect(await screen.findByRole("link", { name: /Mia Carter/ })).toHaveAttribute("href", expect.stringContaining("search?url="));
  setConfig(CONFIG);
});
