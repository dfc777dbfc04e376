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

test("each change has its sign and the balance after it; one kind can be chosen", async () => {
  const sent = serve(ANSWERS);
  const { where } = draw(<CreditLedgerScreen />, { at: AT });
  expect(await screen.findByText("+1,500")).toBeVisible();
  expect(screen.getByText("−1")).toBeVisible();
  expect(screen.getByText("1,600")).toBeVisible();
  await userEvent.click(screen.getByRole("radio", { name: "Work Email" }));
  await waitFor(() => expect(where()).toBe(`${AT}?kind=bus_email_credits`));
  await waitFor(() => expect(sent.at(-1)!.query.get("filter")).toBe("(kind='bus_email_credits')"));
});
