import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { contactAnswer } from "../../testing/answers";
import { draw, serve, whole } from "../../testing/render";
import { UsageScreen } from "./UsageScreen";

const AT = "/dashboard/settings/usage";
const MEMBER = { appuserid: 7, name: "Max Member", email: "max@acme.example", totalrevealedcount: 12, personalemailcount: 5, busemailcount: 4, directdialscount: 3 };
const KEY = { keyid: 1, apikey: "abcdefgh12345678", purpose: "CRM sync", callcount: 9, isdeleted: 0, personalemailcount: 2, businessemailcount: 1, directdialscount: 3 };

function setUp() {
  vi.useFakeTimers({ now: new Date("2026-03-15T12:00:00Z"), toFake: ["Date"] });
  return userEvent.setup();
}

test("months can be changed up to the current one, and February ends on the 28th", async () => {
  const user = setUp();
  const sent = serve({ "POST getplatformusagedata": { resource: [MEMBER] } });
  const { where } = draw(<UsageScreen />, { at: AT });
  expect(await screen.findByText("March 2026")).toBeVisible();
  expect(screen.getByRole("button", { name: "Next month" })).toBeDisabled();
  await user.click(screen.getByRole("button", { name: "Previous month" }));
  await waitFor(() => expect(where()).toBe(`${AT}?month=2026-02`));
  expect(await screen.findByText("February 2026")).toBeVisible();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map(({ body }) => [body.startdate, body.enddate, body.clientid, body.search])).toEqual([
    ["2026-03-01 00:00:00", "2026-03-30 23:59:59", 1, ""],
    ["2026-02-01 00:00:00", "2026-02-28 23:59:59", 1, ""],
  ]);
});

test("the total opens the contacts of the month, ten per page, and Done closes the dialog", async () => {
  const user = setUp();
  const latest = Array.from({ length: 10 }, (_, index) => ({ contactid: index + 1, latest: "2026-03-09 09:00:00+00" }));
  const sent = serve({
    "POST getplatformusagedata": { resource: [MEMBER] },
    "GET leads/_table/creditledger": { resource: latest, meta: { count: 23 } },
    "GET leads/_table/usercontact": { resource: latest.slice(1).map(({ contactid }) => contactAnswer(contactid)) },
  });
  draw(<UsageScreen />, { at: AT });
  const row = within((await screen.findByText("Max Member")).closest("tr")!);
  expect(row.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["MMMax Membermax@acme.example", "12", "5", "4", "3"]);

  await user.click(row.getByRole("button", { name: "12 revealed by Max Member" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText(whole("p2@work.example"))).toBeVisible();
  expect(dialog.getByText("March 2026, max@acme.example")).toBeVisible();
  expect(dialog.getAllByText("9 Mar 2026")).toHaveLength(10);
  expect(dialog.getByText("A contact also revealed by a colleague")).toBeVisible();
  const [ledger, contacts] = sent.slice(-2).map(({ query }) => query);
  expect(ledger!.get("filter")).toBe("(actor=7) and (reason='reveal') and (createdon>='2026-03-01') and (createdon<'2026-04-01')");
  expect(contacts!.get("filter")).toBe("((revealedby=7) or (dialrevealedby=7)) and (contactid in (1,2,3,4,5,6,7,8,9,10))");
  await user.click(dialog.getByRole("button", { name: "Last page" }));
  await waitFor(() => expect(sent.filter(({ path }) => path.endsWith("creditledger")).at(-1)!.query.get("offset")).toBe("20"));
  await user.click(dialog.getByRole("button", { name: "Done" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the API tab lists keys with their calls and can be searched", async () => {
  const user = setUp();
  const sent = serve({ "POST getapiusagedata": ({ body }: { body: { search: string } }) => ({ resource: body.search ? [] : [KEY] }) });
  const { where } = draw(<UsageScreen />, { at: `${AT}?tab=api` });
  const row = within((await screen.findByText(KEY.apikey)).closest("tr")!);
  expect(row.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["GET", `CRM sync${KEY.apikey}`, "9", "0", "2", "1", "3"]);
  await user.click(row.getByRole("button", { name: `Copy ${KEY.apikey}` }));
  expect(await screen.findByText("Copied")).toBeVisible();
  await user.type(screen.getByRole("textbox", { name: "Search usage" }), "zzz");
  expect(await screen.findByText("no data found")).toBeVisible();
  expect(where()).toBe(`${AT}?tab=api&search=zzz`);
  expect(sent.map(({ body }) => body.search)).toEqual(["", "zzz"]);
});
