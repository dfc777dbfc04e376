import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { accountAnswer } from "../../testing/answers";
import { type Sent, draw, serve } from "../../testing/render";
import { CreditLedgerScreen } from "./CreditLedgerScreen";

const AT = "/dashboard/settings/creditledger";
const row = (ledgerid: number, part: object) => ({
  ledgerid, createdon: "2026-01-10 09:00:00+00", kind: "contactcredit", delta: -1, balance_after: 99, reason: "reveal", actor: null, keyid: null, ...part,
});
const ANSWERS = {
  "GET leads/_table/appuser": { resource: [] },
  "GET leads/_table/creditledger": { resource: [row(2, {}), row(1, { delta: 1500, balance_after: 1600, reason: "plan" })], meta: { count: 2 } },
};

test("changes show sign and balance, and can be filtered by kind", async () => {
  const sent = serve(ANSWERS);
  const { where } = draw(<CreditLedgerScreen />, { at: AT });
  expect(await screen.findByText("+1,500")).toBeVisible();
  expect(screen.getByText("−1")).toBeVisible();
  expect(screen.getByText("1,600")).toBeVisible();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Credits" }), "Work Email");
  await waitFor(() => expect(where()).toBe(`${AT}?kind=bus_email_credits`));
  await waitFor(() => expect(sent.at(-1)!.query.get("filter")).toBe("(kind='bus_email_credits')"));
});

test("the changes of one reveal are one row with the contact name", async () => {
  const reveals = [row(3, { contactid: 4 }), row(2, { contactid: 4, kind: "bus_email_credits", balance_after: 20 }), row(1, { contactid: 9 })];
  const sent = serve({
    ...ANSWERS,
    "GET leads/_table/creditledger": { resource: reveals, meta: { count: 3 } },
    "GET leads/_table/usercontact": { resource: [{ contactid: 4, name: "Dara Meyer" }] },
  });
  draw(<CreditLedgerScreen />, { at: AT });
  const line = (await screen.findByText("Dara Meyer")).closest("tr")!;
  expect([...line.querySelectorAll("td")].slice(1).map((cell) => cell.textContent)).toEqual(["Reveal", "Dara Meyer", "Cell Number, Work Email", "System", "−2", "9920"]);
  expect(screen.getAllByRole("rowheader").map((day) => day.textContent)).toEqual(["10 Jan 2026"]);
  expect(sent.find(({ path }) => path.endsWith("usercontact"))!.query.get("filter")).toBe("(clientid=1) and (contactid in (4,9))");
});

test("a balance is drawn from its changes, up to the renewal", async () => {
  const [now, renewal] = [new Date(), new Date(Date.now() + 10 * 86_400_000)];
  const day = now.toISOString().slice(0, 10);
  const sent = serve({
    ...ANSWERS,
    "GET leads/_table/creditledger": ({ query }: Sent) => (query.has("group") ? { resource: [{ day, kind: "contactcredit", delta: -40 }, { day, kind: "bus_email_credits", delta: 5 }] } : ANSWERS["GET leads/_table/creditledger"]),
    "GET account/credits": { spent: { contactcredit: 30, bus_email_credits: 0, personal_email_credits: 0 }, renewson: renewal.toISOString(), autorenew: true },
  });
  const { where } = draw(<CreditLedgerScreen />, { at: AT, me: accountAnswer({ credits: { contactcredit: 100 } }) });
  const chart = within(await screen.findByRole("table", { name: /^Cell Number left each day/ }));
  const last = chart.getAllByRole("row").map((line) => within(line).getByRole("cell").textContent);
  expect(last.slice(28, 31)).toEqual(["140 left", "100 left", "99 expected"]);
  expect(last.at(-1)).toBe("90 expected");
  expect(last).toHaveLength(40);
  expect(screen.getByText(/^About 90 will be left on/)).toBeVisible();
  expect(screen.getByText("Renewal")).toBeInTheDocument();
  expect(sent.filter(({ query }) => query.has("group"))).toHaveLength(1);
  await userEvent.click(screen.getByRole("radio", { name: "Work Email" }));
  await waitFor(() => expect(where()).toBe(`${AT}?kind=bus_email_credits`));
});
