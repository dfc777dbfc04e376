import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { account } from "../../api/account";
import type { BulkJob } from "../../api/bulk";
import { accountAnswer, contactAnswer, planAnswer } from "../../testing/answers";
import { ErrorResponse, type Sent, draw, serve } from "../../testing/render";
import { BulkLookupScreen } from "./BulkLookupScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/bulklookup";
const CSV = new File(["linkedinurl\nlinkedin.com/in/a\n"], "people.csv", { type: "text/csv" });
const PRICE = { estimate: 7, estimates: { directdial: 6, businessemail: 1 }, total: 9 };

const job = (part: Partial<BulkJob> = {}): BulkJob => ({
  jobid: 4,
  status: "done",
  kinds: ["directdial"],
  max_credits: 7,
  charged: 1,
  total: 2,
  processed: 2,
  rows: [
    { line: 1, linkedinurl: "linkedin.com/in/p1", status: "done", charged: 1, contactid: 1 },
    { line: 2, linkedinurl: "nobody", status: "invalid", charged: 0, contactid: null },
  ],
  ...part,
});

test("a finished lookup shows the people found, with phone and mail links", async () => {
  const contacts = { resource: [contactAnswer(1, { name: "Maya Thornton", title: "CTO", company: "Acme" })] };
  const sent = serve({ "GET bulklookup/4": job(), "GET leads/_table/usercontact": contacts });
  draw(<BulkLookupScreen />, { at: `${AT}?job=4` });
  const person = await screen.findByRole("button", { name: "Maya Thornton" });
  expect(screen.getByText("CTO · Acme")).toBeVisible();
  expect(await screen.findByRole("link", { name: "+1 415 555 1001" })).toHaveAttribute("href", "tel:+14155551001");
  expect(screen.getByRole("link", { name: "p1@work.example" })).toHaveAttribute("href", "mailto:p1@work.example");
  expect(screen.getByRole("link", { name: "Open in My Contacts" })).toBeVisible();
  expect(sent.find(({ path }) => path === "leads/_table/usercontact")!.query.get("filter")).toBe("(contactid in (1))");
  await user.click(person);
  expect(await screen.findByRole("dialog", { name: "Maya Thornton" })).toBeVisible();
});

test("pasted addresses are uploaded as a file, and text without an address shows an error", async () => {
  const sent = serve({ "POST bulklookup": PRICE });
  draw(<BulkLookupScreen />, { at: AT });
  const box = screen.getByLabelText("Or paste addresses, one a line");
  await user.type(box, "nothing here");
  expect(screen.getByText("These lines contain no profile address.")).toBeVisible();
  await user.clear(box);
  await user.click(box);
  await user.paste("linkedin.com/in/a\nlinkedin.com/in/b");
  await user.click(screen.getByRole("button", { name: "Use 2 addresses" }));
  expect(await screen.findByText("7 credits")).toBeVisible();
  expect(await (sent.find(({ method }) => method === "POST")!.body.get("files") as File).text()).toContain("https://linkedin.com/in/b");
});

test("addresses passed from another screen are priced at once", async () => {
  serve({ "POST bulklookup": PRICE });
  draw(<BulkLookupScreen />, { at: AT, state: { urls: ["linkedin.com/in/a", "linkedin.com/in/b"] } });
  expect(await screen.findByText("Pasted addresses")).toBeVisible();
  expect(await screen.findByText("7 credits")).toBeVisible();
});

test("a file is priced first, and the lookup starts with the spending limit", async () => {
  const sent = serve({ "POST bulklookup": ({ query }: Sent) => (query.has("estimateonly") ? PRICE : { jobid: 4, ...PRICE }), "GET bulklookup/4": job(), "GET leads/_table/usercontact": { resource: [] } });
  const { where } = draw(<BulkLookupScreen />, { at: AT });
  await user.click(screen.getByRole("checkbox", { name: "Secondary Email" }));
  await user.upload(screen.getByLabelText("CSV file"), CSV);
  expect(await screen.findByText("7 credits")).toBeVisible();
  expect(screen.getByText("9 addresses")).toBeVisible();
  expect(screen.getByText(/You do not have enough credits for everything/)).toBeVisible();
  expect(Object.fromEntries(sent.find(({ method }) => method === "POST")!.query)).toEqual({ kinds: "directdial,businessemail", max_credits: "0", estimateonly: "true" });

  const most = screen.getByLabelText("Spend at most");
  await user.clear(most);
  await user.type(most, "5");
  await user.click(screen.getByRole("button", { name: "Start lookup · 5 credits" }));
  await waitFor(() => expect(where()).toBe(`${AT}?job=4`));
  const started = sent.filter(({ method }) => method === "POST").at(-1)!;
  expect(Object.fromEntries(started.query)).toEqual({ kinds: "directdial,businessemail", max_credits: "5" });
  expect(started.body.get("files").name).toBe("people.csv");
});

/** Renders the screen for an account without enough credits for a file. */
async function tooShort(me: ReturnType<typeof accountAnswer>, estimates: Record<string, number>) {
  serve({ "POST bulklookup": { ...PRICE, estimates } });
  const drawn = draw(<BulkLookupScreen />, { at: AT, me });
  await user.upload(screen.getByLabelText("CSV file"), CSV);
  expect(await screen.findByText(/You do not have enough credits for everything/)).toBeVisible();
  return drawn;
}

test("too few cell number credits on a paid plan show the add-ons button", async () => {
  await tooShort(accountAnswer(), { directdial: 6, businessemail: 1 });
  expect(screen.getByRole("button", { name: "Credit add-ons" })).toHaveAttribute("href", "/dashboard/creditaddons");
});

test.each([
  ["email credits, which no add-on contains,", accountAnswer(), { directdial: 6, businessemail: 9 }],
  ["cell numbers of a free plan", accountAnswer({ plan: planAnswer(1, "Free Trial", { price: 0 }) }), { directdial: 6 }],
])("too few %s show the upgrade button", async (_, me, estimates) => {
  await tooShort(me, estimates);
  expect(screen.getByRole("button", { name: "Upgrade Your Plan" })).toHaveAttribute("href", "/dashboard/upgradeplan");
});

test("a member without enough credits is referred to the owner", async () => {
  await tooShort(accountAnswer({ role: "member" }), { directdial: 6 });
  expect(screen.getByText("Ask the owner of your account for more credits.")).toBeVisible();
  expect(screen.queryByRole("button", { name: /add-ons|Upgrade/ })).toBeNull();
});

test("an invalid or too large file shows an error", async () => {
  const text = "The first line must contain a column named 'linkedinurl'.";
  serve({ "POST bulklookup": new ErrorResponse(422, { code: 422, message: text, context: { scope: "resource", fields: { urls: text } } }) });
  draw(<BulkLookupScreen />, { at: AT });
  await user.upload(screen.getByLabelText("CSV file"), CSV);
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Start lookup/ })).toBeNull();

  await user.upload(screen.getByLabelText("CSV file"), new File([new Uint8Array(5 * 1024 * 1024 + 1)], "large.csv", { type: "text/csv" }));
  expect(await screen.findByText("The file is larger than 5 MB")).toBeVisible();
});

test("a running job shows its progress and can be cancelled", async () => {
  let shown = job({ status: "running", processed: 1 });
  serve({ "GET bulklookup/4": () => shown, "DELETE bulklookup/4": () => (shown = job({ status: "cancelled" })), "PUT user/session": new ErrorResponse(503, {}) });
  draw(<BulkLookupScreen />, { at: `${AT}?job=4` });
  expect(await screen.findByText("1 of 2 processed")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Download result" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Cancel lookup" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Cancel lookup" }));
  expect(await screen.findByRole("heading", { name: "Cancelled" })).toBeVisible();
  expect(await screen.findByRole("button", { name: "Download result" })).toBeVisible();
  expect(screen.getByText("No profile address")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "No profile address · 1" }));
  expect(screen.queryByText("linkedin.com/in/p1")).toBeNull();
  await user.click(screen.getByRole("button", { name: "No profile address · 1" }));
  expect(screen.getByText("linkedin.com/in/p1")).toBeVisible();
});

test("a job that ran out of credits shows the add-ons button until there are credits", async () => {
  const rows = [{ line: 1, linkedinurl: "linkedin.com/in/p1", status: "nocredit" as const, charged: 0, contactid: null }];
  serve({ "GET bulklookup/4": job({ rows }) });
  const { queries } = draw(<BulkLookupScreen />, { at: `${AT}?job=4`, me: accountAnswer({ credits: { contactcredit: 0 } }) });
  expect(await screen.findByRole("button", { name: "Credit add-ons" })).toHaveAttribute("href", "/dashboard/creditaddons");
  queries.setQueryData(account.queryKey, accountAnswer());
  await waitFor(() => expect(screen.queryByRole("button", { name: "Credit add-ons" })).toBeNull());
  expect(screen.getByText("No credit")).toBeVisible();
});

test("recent jobs are listed with links", async () => {
  const row = { jobid: 4, status: "done", total: 12, charged: 7, createdon: "2026-03-14 09:00:00+00" };
  serve({ "GET leads/_table/bulkjob": { resource: [row] } });
  draw(<BulkLookupScreen />, { at: AT });
  const line = (await screen.findByRole("link", { name: /^Open the lookup of 14 Mar 2026, \d\d:\d\d$/ })).closest("tr")!;
  expect(within(line).getAllByRole("cell").map((cell) => cell.textContent)).toEqual([expect.stringMatching(/^14 Mar 2026, \d\d:\d\d$/), "Finished", "12", "7"]);
});

test("a missing job shows a message and a button for a new lookup", async () => {
  serve({ "GET bulklookup/9": new ErrorResponse(404, { code: 404, message: "There is no such job.", context: { scope: "resource" } }) });
  const { where } = draw(<BulkLookupScreen />, { at: `${AT}?job=9` });
  expect(await screen.findByText("This lookup does not exist")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Start another" }));
  await waitFor(() => expect(where()).toBe(AT));
});
