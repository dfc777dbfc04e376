import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { accountAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { AuditLogScreen } from "./AuditLogScreen";

const AT = "/dashboard/settings/auditlog";
const event = (auditid: number, part: object) => ({
  auditid, appuserid: null, keyid: null, event: "signin", target: null, ip: null, createdon: "2026-01-10 09:00:00+00", ...part,
});
const ANSWERS = {
  "GET leads/_table/appuser": { resource: [{ ...accountAnswer(), appuserid: 7, name: "Max Member" }] },
  "GET leads/_table/apikeys": { resource: [{ keyid: 1, purpose: "CRM sync" }] },
  "GET leads/_table/subscriptionplan": { resource: [{ planid: 4, name: "Pro" }] },
  "GET leads/_table/auditlog": {
    resource: [
      event(5, { appuserid: 8, event: "plan_changed", target: "4" }), event(4, { appuserid: 7, event: "key_created", target: "1" }),
      event(3, { appuserid: 7, event: "signin_failed" }), event(2, { keyid: 1, event: "keys_read" }), event(1, { event: "invoice_paid", target: "INV-1" }),
    ],
    meta: { count: 60 },
  },
};

const cells = async (text: string) =>
  [...(await screen.findByText(text)).closest("tr")!.querySelectorAll("td")].slice(1).map((cell) => cell.textContent);

test("shows event, target and actor on pages of 25", async () => {
  const sent = serve(ANSWERS);
  draw(<AuditLogScreen />, { at: `${AT}?page=2` });
  await screen.findAllByText("Max Member");
  expect(await cells("Sign-in failed")).toEqual(["Sign-in failed", "–", "Max Member", "–"]);
  expect(await cells("Keys read")).toEqual(["Keys read", "–", "API key: CRM sync", "–"]);
  expect(await cells("Invoice paid")).toEqual(["Invoice paid", "INV-1", "System", "–"]);
  expect(await cells("Key created")).toEqual(["Key created", "CRM sync", "Max Member", "–"]);
  expect(await cells("Plan changed")).toEqual(["Plan changed", "Pro", "Former member", "–"]);
  expect(sent.find(({ path }) => path.endsWith("auditlog"))!.query.get("offset")).toBe("25");
});

test("reads are hidden by default, and entries can be filtered by user", async () => {
  const sent = serve({ ...ANSWERS, "GET leads/_table/appuser": { resource: [accountAnswer(), { ...accountAnswer(), appuserid: 7, name: "Max Member" }], meta: { count: 2 } } });
  const { where } = draw(<AuditLogScreen />, { at: AT });
  await userEvent.click(await screen.findByRole("button", { name: "Show reads" }));
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "By" }), "Max Member");
  await waitFor(() => expect(where()).toBe(`${AT}?reads=1&by=7`));
  const filters = sent.filter(({ path }) => path.endsWith("auditlog")).map(({ query }) => query.get("filter"));
  expect([filters[0], filters.at(-1)]).toEqual(["(event <> 'keys_read')", "(appuserid=7)"]);
});

test("entries can be filtered by category, and a reveal shows the contact name", async () => {
  const sent = serve({
    ...ANSWERS,
    "GET leads/_table/auditlog": { resource: [event(1, { event: "reveal", target: "contact 4", appuserid: 7 })], meta: { count: 1 } },
    "GET leads/_table/usercontact": { resource: [{ contactid: 4, name: "Dara Meyer" }] },
  });
  const { where } = draw(<AuditLogScreen />, { at: AT });
  expect(await screen.findByText("Dara Meyer")).toBeVisible();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "What happened" }), "Keys and applications");
  await waitFor(() => expect(where()).toBe(`${AT}?about=keys`));
  await waitFor(() => expect(sent.findLast(({ path }) => path.endsWith("auditlog"))!.query.get("filter")).toBe("(event <> 'keys_read') and ((event like 'key%') or (event like 'agent%') or (event like 'webhook%'))"));
});
