import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Overview } from "../../api/desk";
import { ErrorResponse, draw, serve as serveOnly } from "../../testing/render";
import DeskScreen from "./DeskScreen";

const user = userEvent.setup();
const WHEN = "2026-01-10 09:00:00+00";
const ACME = { clientid: 1, companyname: "Acme", country: "NO", createdon: WHEN, owner: "Olivia Brandt", email: "olivia@acme.example", plan: "Starter", status: "active" };
const NAMELESS = { ...ACME, clientid: 2, companyname: "", owner: null, email: null, plan: null };
const PERSON = { appuserid: 7, name: "Max Moe", email: "max@acme.example", role: "member" as const, isactive: 1, isdeleted: 0, isverified: 1, invitestatus: "accepted" as const, lastloginon: null, createdon: WHEN, hasmfa: 0 };
const OVERVIEW: Overview = {
  client: { clientid: 1, companyname: "Acme", country: null, phonenumber: "", stripe_custid: "cus_1", createdon: WHEN },
  users: [PERSON, { ...PERSON, appuserid: 8, name: "Ina Ito", invitestatus: "pending" }, { ...PERSON, appuserid: 9, name: "Del Dahl", isdeleted: 1 }],
  credits: [{ contactcredit: 5, bus_email_credits: 4, personal_email_credits: 3 }],
  subscriptions: [{ subscriptionid: 1, plan: "Starter", price: "49", status: "active", isactive: 1, autorenew: 0, expirydate: "2099-12-20 00:00:00+00" }],
  customplans: [{ planid: 30, name: "Acme yearly", sku: "acme", assigned: false }, { planid: 31, name: "Pilot", sku: "pilot", assigned: true }],
  ledger: [{ ledgerid: 1, createdon: WHEN, kind: "contactcredit", delta: -1, balance_after: 5, reason: "reveal" }],
  payments: [
    { transactionid: 3, invoicenumber: "INV-3", transactiondate: WHEN, planname: "Starter", price: "49.00", status: "paid" },
    { transactionid: 4, invoicenumber: "INV-4", transactiondate: WHEN, planname: "Starter", price: "49.00", status: "failed" },
  ],
  sessions: [{ usersessionid: 1, name: "Max Moe", lastused: WHEN, ip: null, useragent: null }],
  audit: [{ auditid: 1, createdon: WHEN, event: "support_read", target: "usercontact", appuserid: null, keyid: null, staffid: 1, ip: null, detail: null }],
  keys: [{ keyid: 1, name: "CRM", purpose: "", isactive: 0, isdeleted: 0, lastused: null, createdon: WHEN }],
  reveals: [{ kind: "directdial", count: 12, bykeys: 2 }],
};
const CLIENT = { "POST desk/client": OVERVIEW };
// Every page counts the waiting work; those requests are unrelated to the tested action.
const WORK = { "PUT user/session": { name: "Sam Staff" }, "GET desk/feedback": { resource: [] }, "GET desk/jobs": { resource: [], counts: {} }, "GET desk/payments": { resource: [] } };
const OF_WORK = new Set(Object.keys(WORK));

/** The requests of a test, without those that count the work unless the test answers them itself. */
function serve(replies: Parameters<typeof serveOnly>[0]): ReturnType<typeof serveOnly> {
  const sent = serveOnly({ ...WORK, ...replies });
  const push = sent.push.bind(sent);
  sent.push = (...requests) => push(...requests.filter(({ method, path }) => `${method} ${path}` in replies || !OF_WORK.has(`${method} ${path}`)));
  return sent;
}

const desk = (at: string) => draw(<DeskScreen />, { at, route: "/desk/*" });
const press = async (name: string | RegExp) => user.click(await screen.findByRole("button", { name }));
const dialog = async () => within(await screen.findByRole("dialog"));

test("clients are searched only after text is entered", async () => {
  const sent = serve({ "POST desk/find": { resource: [ACME, NAMELESS], more: true } });
  const { where } = desk("/desk");
  expect(screen.queryByText("No matching client")).toBeNull();
  await user.type(await screen.findByRole("textbox", { name: "Client" }), " acme {Enter}");
  expect(await screen.findByRole("link", { name: "Acme" })).toHaveAttribute("href", "/desk/client/1");
  expect(screen.getByRole("link", { name: "Client 2" })).toBeVisible();
  expect(screen.getByText("More clients match. Type more of the name.")).toBeVisible();
  expect(sent.map(({ body }) => body)).toEqual([{ text: "acme" }]);
  expect(where()).toBe("/desk?q=acme");
});

test("an empty result and a failed search each show a message", async () => {
  let broken = true;
  serve({ "POST desk/find": () => (broken ? new ErrorResponse(503, { code: 503, message: "Busy." }) : { resource: [], more: false }) });
  desk("/desk?q=nobody");
  expect(await screen.findByText("Busy.", {}, { timeout: 20_000 })).toBeVisible();
  broken = false;
  await press(/again|retry/i);
  expect(await screen.findByText("No matching client")).toBeVisible();
});

test("suppressing a person needs an address and a reason", async () => {
  const sent = serve({ "POST desk/suppress": {} });
  desk("/desk");
  await press("Suppress a person");
  const form = await dialog();
  await user.type(form.getByLabelText("Reason"), "Asked for it");
  await user.click(form.getByRole("button", { name: "Suppress" }));
  expect(sent).toHaveLength(0);
  await user.type(form.getByLabelText("Email address"), "jane@home.example");
  await user.click(form.getByRole("button", { name: "Suppress" }));
  expect(await screen.findByText("The person is on the removal list.")).toBeVisible();
  expect(sent[0]!.body).toEqual({ email: "jane@home.example", linkedinurl: "", reason: "Asked for it" });
});

test("client details are in tabs that are stored in the URL", async () => {
  const sent = serve(CLIENT);
  const { where } = desk("/desk/client/1");
  expect(await screen.findByRole("heading", { level: 1, name: "Acme" })).toBeVisible();
  expect(sent[0]!.body).toEqual({ clientid: 1 });
  expect(screen.getByText(/Starter, active, until/)).toBeVisible();
  const texts: [string, RegExp | string][] = [["Ledger", "Reveal"], ["Payments", "INV-4"], ["Sessions", "Max Moe"], ["Audit log", "Support"], ["API keys", "Off"]];
  for (const [tab, text] of texts) {
    await user.click(screen.getByRole("tab", { name: tab }));
    expect(within(await screen.findByRole("tabpanel", { name: tab })).getByText(text)).toBeVisible();
  }
  expect(where()).toBe("/desk/client/1?tab=keys");
});

test("changing credits needs a reason, previews the balance and is sent once", async () => {
  const sent = serve({ ...CLIENT, "POST desk/credits": { balance: 2 } });
  desk("/desk/client/1");
  await press("Change credits");
  const form = await dialog();
  expect(form.getByText("Enter a number other than 0")).toBeVisible();
  const amount = form.getByLabelText("How many");
  await user.clear(amount);
  await user.type(amount, "-9");
  expect(form.getByText("The client has fewer credits than that.")).toBeVisible();
  await user.clear(amount);
  await user.type(amount, "-3");
  expect(form.getByText("3 credits are deducted: 2 afterwards.")).toBeVisible();
  await user.click(form.getByRole("button", { name: "Change credits" }));
  expect(await form.findByText("Give the reason in at least 3 characters")).toBeVisible();
  await user.type(form.getByLabelText("Reason"), "Asked for it");
  await user.click(form.getByRole("button", { name: "Change credits" }));
  expect(await screen.findByText("Credits changed, 2 now.")).toBeVisible();
  const [change] = sent.filter(({ path }) => path === "desk/credits");
  expect(change!.body).toMatchObject({ clientid: 1, kind: "contactcredit", amount: -3, reason: "Asked for it" });
  expect(change!.body.requestid).toMatch(/^\w+-\w+-\w+-\w+$/);
  await waitFor(() => expect(sent.filter(({ path }) => path === "desk/client")).toHaveLength(2));
});

test("a rejected reason is shown next to its field, and a retry keeps the request ID", async () => {
  const sent = serve({ ...CLIENT, "POST desk/credits": new ErrorResponse(422, { code: 422, message: "Refused.", context: { reason: "invalid", fields: { reason: "Write it without addresses." } } }) });
  desk("/desk/client/1");
  await press("Change credits");
  const form = await dialog();
  await user.type(form.getByLabelText("How many"), "{Control>}a{/Control}7");
  await user.type(form.getByLabelText("Reason"), "write to jane@home.example");
  await user.click(form.getByRole("button", { name: "Change credits" }));
  expect(await form.findByText("Write it without addresses.")).toBeVisible();
  await user.click(form.getByRole("button", { name: "Change credits" }));
  await waitFor(() => expect(sent.filter(({ path }) => path === "desk/credits")).toHaveLength(2));
  expect(new Set(sent.filter(({ path }) => path === "desk/credits").map(({ body }) => body.requestid)).size).toBe(1);
});

test("a custom plan can be assigned, and an assigned one can be withdrawn", async () => {
  const sent = serve({ ...CLIENT, "POST desk/plan": {} });
  desk("/desk/client/1");
  expect(await screen.findByRole("button", { name: "Withdraw Pilot?" })).toBeVisible();
  await press("Assign Acme yearly?");
  const form = await dialog();
  await user.type(form.getByLabelText("Reason"), "Signed in May");
  await user.click(form.getByRole("button", { name: "Assign" }));
  expect(await screen.findByText("The plans of this client were changed.")).toBeVisible();
  expect(sent.find(({ path }) => path === "desk/plan")!.body).toEqual({ clientid: 1, planid: 30, assigned: true, reason: "Signed in May" });
});

test("the actions for a user depend on the account state", async () => {
  const sent = serve({ ...CLIENT, "POST desk/mail": {}, "POST desk/sessions": {} });
  desk("/desk/client/1?tab=users");
  expect(await screen.findByText("Deleted")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Actions for Del Dahl" })).toBeNull();
  await press("Actions for Ina Ito");
  expect(screen.queryByRole("menuitem", { name: "View as this user" })).toBeNull();
  await user.click(await screen.findByRole("menuitem", { name: "Resend the invitation" }));
  expect(await screen.findByText("The mail is on its way.")).toBeVisible();
  await press("Actions for Max Moe");
  expect(await screen.findByRole("menuitem", { name: "View as this user" })).toBeVisible();
  await user.click(screen.getByRole("menuitem", { name: "End all sessions" }));
  const form = await dialog();
  await user.type(form.getByLabelText("Reason"), "Lost the phone");
  await user.click(form.getByRole("button", { name: "End all sessions" }));
  expect(await screen.findByText("The sessions were ended.")).toBeVisible();
  expect(sent.filter(({ path }) => path !== "desk/client").map(({ body }) => body)).toEqual([
    { kind: "invitation", appuserid: 8 },
    { appuserid: 7, reason: "Lost the phone" },
  ]);
});

test("a receipt can be mailed only for a successful payment", async () => {
  const sent = serve({ ...CLIENT, "POST desk/mail": new ErrorResponse(409, { code: 409, message: "The owner has no address." }) });
  desk("/desk/client/1?tab=payments");
  expect(await screen.findByText("INV-4")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Mail the receipt INV-4" })).toBeNull();
  await press("Mail the receipt INV-3");
  expect(await screen.findByText("The owner has no address.")).toBeVisible();
  expect(sent.at(-1)!.body).toEqual({ kind: "receipt", transactionid: 3 });
});

test("deciding on a vote needs a reason", async () => {
  const vote = { feedbackid: 5, clientid: 1, companyname: "Acme", name: "Maya Thornton", type: "phone", downvotereason: "outofservice", linkedin_url: "https://www.linkedin.com/in/maya", createdon: WHEN };
  const sent = serve({ "GET desk/feedback": { resource: [vote] }, "POST desk/feedback": {} });
  desk("/desk/feedback");
  expect(await screen.findByText("Out of service")).toBeVisible();
  await press("Accept the vote of Maya Thornton");
  const form = await dialog();
  await user.type(form.getByLabelText("Reason"), "Called it");
  await user.click(form.getByRole("button", { name: "Accept" }));
  expect(await screen.findByText("The decision was recorded.")).toBeVisible();
  expect(sent.find(({ method }) => method === "POST")!.body).toEqual({ feedbackid: 5, decision: "accepted", reason: "Called it" });
});

test("only failed jobs can be queued again", async () => {
  const job = { id: 3, job: "sendmail", status: "failed", attempts: 5, created: WHEN, execute_after: WHEN, error: "ConnectionRefused" };
  const sent = serve({ "GET desk/jobs": { resource: [job, { ...job, id: 4, status: "picked", error: null }], counts: { failed: 1, picked: 1 } }, "POST desk/jobs": {} });
  desk("/desk/queue");
  expect(await screen.findByText("Failed: 1, Running: 1")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Try job 4 again" })).toBeNull();
  await press("Try job 3 again");
  expect(await screen.findByText("The job is queued again.")).toBeVisible();
  expect(sent.find(({ method }) => method === "POST")!.body).toEqual({ id: 3 });
});

test("a payment event can be applied again", async () => {
  const event = { id: "evt_1", type: "invoice.paid", created: WHEN, note: null, customer: "cus_9", clientid: null };
  const sent = serve({ "GET desk/payments": { resource: [event, { ...event, id: "evt_2", clientid: 1, note: "No such plan" }] }, "POST desk/payments": {} });
  desk("/desk/payments");
  expect(await screen.findByText("cus_9")).toBeVisible();
  expect(screen.getByRole("link", { name: "Client 1" })).toHaveAttribute("href", "/desk/client/1");
  await press("Apply evt_2 again");
  expect(await screen.findByText("The event is queued again.")).toBeVisible();
  expect(sent.find(({ method }) => method === "POST")!.body).toEqual({ id: "evt_2" });
});

test("the palette finds clients and pages, and reopens the last client", async () => {
  localStorage.setItem("desk.clients", JSON.stringify([{ clientid: 1, name: "Acme" }]));
  const sent = serve({ "POST desk/find": { resource: [ACME], more: false } });
  const { where } = desk("/desk/queue");
  await user.keyboard("{Control>}k{/Control}");
  expect(await screen.findByRole("option", { name: /Acme/ })).toBeVisible();
  await user.keyboard("feed");
  expect(await screen.findByRole("option", { name: "Feedback" })).toBeVisible();
  expect(screen.queryByRole("option", { name: /Acme/ })).toBeNull();
  await user.keyboard("{Enter}");
  expect(await screen.findByRole("link", { name: "Acme" })).toBeVisible();
  expect(where()).toBe("/desk?q=feed");
  expect(sent.map(({ body }) => body)).toEqual([{ text: "feed" }]);
});

test("signing out redirects to the sign-in page", async () => {
  serve({ "DELETE user/session": { success: true } });
  const { where } = desk("/desk");
  await press("Account menu");
  await user.click(await screen.findByRole("menuitem", { name: "Sign Out" }));
  await waitFor(() => expect(where()).toBe("/login"));
});

const ENTRY: Overview["audit"][number] = { auditid: 1, createdon: WHEN, event: "signin", target: null, appuserid: null, keyid: null, staffid: null, ip: null, detail: null };

test("a client's audit log shows user and key names, or a number if they no longer exist", async () => {
  const audit = [
    { ...ENTRY, auditid: 1, event: "member_deleted", target: "9", appuserid: 7 },
    { ...ENTRY, auditid: 2, event: "reveal", target: "contact 4", keyid: 1, detail: { kind: "directdial" } },
    { ...ENTRY, auditid: 3, appuserid: 70 },
    { ...ENTRY, auditid: 4, event: "plan_ended", target: "2" },
  ];
  serve({ "POST desk/client": { ...OVERVIEW, audit }, "GET leads/_table/subscriptionplan": { resource: [{ planid: 2, name: "Starter" }] } });
  desk("/desk/client/1?tab=audit");
  await screen.findByText("Starter");
  const rows = within(screen.getByRole("tabpanel", { name: "Audit log" })).getAllByRole("row").slice(1);
  const texts = rows.map((row) => within(row).getAllByRole("cell").filter((_, index) => index !== 1).map((cell) => cell.textContent));
  expect(texts).toEqual([
    ["Member deleted", "Del Dahl", "Max Moe"],
    ["Reveal", "Contact 4 · Cell numbers", "CRM"],
    ["Sign-in", "–", "User 70"],
    ["Plan ended", "Starter", "System"],
  ]);
});

test("the desk starts with pending work, and the navigation shows its count", async () => {
  const vote = { feedbackid: 5, clientid: 1, companyname: "Acme", name: "Max Moe", type: "phone", downvotereason: "invalid", linkedin_url: "linkedin.com/in/x", createdon: WHEN };
  serve({ "GET desk/feedback": { resource: [vote, { ...vote, feedbackid: 6 }] }, "GET desk/jobs": { resource: [], counts: { failed: 3, queued: 9 } } });
  desk("/desk");
  const work = within(await screen.findByRole("region", { name: "Work" }));
  expect(await work.findByRole("link", { name: /2\s*Open feedback/ })).toHaveAttribute("href", "/desk/feedback");
  expect(work.getByRole("link", { name: /3\s*Failed jobs/ })).toBeVisible();
  expect(work.getByRole("link", { name: /0\s*Payment events not applied\s*Nothing waiting/ })).toBeVisible();
  expect(within(screen.getByRole("navigation", { name: "Desk" })).getByRole("link", { name: /Queue\s*3/ })).toBeVisible();
});

test("a client's header shows owner and problems", async () => {
  const owner = { ...PERSON, appuserid: 6, name: "Olivia Brandt", email: "olivia@acme.example", role: "client" as const };
  serve({ "POST desk/client": { ...OVERVIEW, users: [owner, PERSON], credits: [{ contactcredit: 0, bus_email_credits: 4, personal_email_credits: 3 }], payments: [OVERVIEW.payments[1]] } });
  desk("/desk/client/1");
  expect(await screen.findByRole("link", { name: "olivia@acme.example" })).toHaveAttribute("href", "mailto:olivia@acme.example");
  expect(screen.getByText("Last payment failed")).toBeVisible();
  expect(screen.getByText("No credits left: Cell numbers")).toBeVisible();
});

test("an empty queue shows a message", async () => {
  serve({});
  desk("/desk/queue");
  expect(await screen.findByText("Nothing waiting.")).toBeVisible();
});
