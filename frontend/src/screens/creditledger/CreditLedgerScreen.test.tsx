import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { draw, serve } from "../../testing/render";
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
  expect([...line.querySelectorAll("td")].slice(1).map((cell) => cell.textContent)).toEqual(["Reveal", "Dara Meyer", "Cell Number, Work Email", "System", "−2", "99 · 20"]);
  expect(screen.getAllByRole("rowheader").map((day) => day.textContent)).toEqual(["10 Jan 2026"]);
  expect(sent.find(({ path }) => path.endsWith("usercontact"))!.query.get("filter")).toBe("(clientid=1) and (contactid in (4,9))");
});
