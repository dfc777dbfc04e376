import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { User } from "../../api/types";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { ManageSeatsScreen } from "./ManageSeatsScreen";

const user = userEvent.setup();
const AT = "/dashboard/settings/manageseats";
const LIST = "GET leads/_table/appuser";

function person(appuserid: number, part: Partial<User>): User {
  const { client_by_clientid: _client, session_token: _token, ...me } = accountAnswer();
  return { ...me, appuserid, name: `Person ${appuserid}`, email: `p${appuserid}@acme.com`, role: "member", ...part };
}

const TEAM = {
  resource: [
    person(1, { name: "Olivia Brandt", role: "client" }),
    person(2, {}),
    person(3, { isactive: 0 }),
    person(4, { isactive: 0, isverified: 0, invitestatus: "pending" }),
  ],
  meta: { count: 4 },
};
const row = (id: number) => within(screen.getByRole("row", { name: new RegExp(`p${id}@acme.com`) }));

test("shows the status of each user and the available actions", async () => {
  serve({ [LIST]: TEAM });
  draw(<ManageSeatsScreen />, { at: AT });
  await screen.findByRole("row", { name: /p1@acme.com/ });
  expect(row(1).getByText("Admin")).toBeVisible();
  expect(row(1).queryByRole("switch")).toBeNull();
  expect(row(1).queryByRole("button")).toBeNull();
  expect(row(2).getByText("Enabled")).toBeVisible();
  expect(row(2).getByRole("switch")).toBeChecked();
  expect(row(3).getByText("Disabled")).toBeVisible();
  expect(row(4).getByText("Invitation Sent")).toBeVisible();
  expect(row(4).queryByRole("switch")).toBeNull();
  expect(row(4).getByRole("button", { name: /^Resend/ })).toBeVisible();
  expect(screen.getByText("2 seats available")).toBeVisible();
});

test("a large team can be searched by name and email", async () => {
  const many = Array.from({ length: 16 }, (_, index) => person(index + 1, {}));
  serve({ [LIST]: { resource: [...many, person(77, { name: "Zoë Last" })], meta: { count: 17 } } });
  draw(<ManageSeatsScreen />, { at: AT });
  const field = await screen.findByRole("textbox", { name: "Search by name or email" });
  await user.type(field, "zoë");
  expect(screen.getAllByRole("row").slice(1).map((line) => within(line).getAllByRole("cell")[1]!.textContent)).toEqual(["p77@acme.com"]);
  await user.clear(field);
  await user.type(field, "P3@ACME");
  expect(row(3).getByText("Person 3")).toBeVisible();
  expect(screen.getAllByRole("row")).toHaveLength(2);
  await user.type(field, "zzz");
  expect(screen.getByText("no data found")).toBeVisible();
});

test("disabling a member needs a confirmation", async () => {
  const sent = serve({ [LIST]: TEAM, "PATCH leads/_table/appuser": { resource: [{ appuserid: 2 }] } });
  draw(<ManageSeatsScreen />, { at: AT });
  await screen.findByRole("row", { name: /p2@acme.com/ });
  await user.click(row(2).getByRole("switch"));
  const dialog = within(await screen.findByRole("dialog"));
  expect(sent.filter((one) => one.method === "PATCH")).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Disable" }));
  expect(await screen.findByText("Member disabled.")).toBeVisible();
  expect(sent.find((one) => one.method === "PATCH")!.body.resource).toEqual([{ appuserid: 2, isactive: 0 }]);
});

test("without free seats, the add button is missing", async () => {
  serve({ [LIST]: TEAM });
  draw(<ManageSeatsScreen />, { at: AT, me: accountAnswer({ credits: { seatcount: 0 } }) });
  expect(await screen.findByText("0 seats available")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Add member" })).toBeNull();
});

test("an invitation checks fields, domain, availability and seats in this order", async () => {
  const state = { valid: 0, available: 0 };
  const sent = serve({
    [LIST]: TEAM,
    "POST validatedomain": () => ({ result: { valid: state.valid } }),
    "POST checkemailexists": () => ({ result: { available: state.available } }),
    "POST leads/_table/appuser": new ErrorResponse(409, { code: 409, message: "Your plan has no free seats left. Remove a member, or upgrade.", context: { reason: "seat_limit", scope: "resource" } }),
  });
  draw(<ManageSeatsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "Add member" }));
  const dialog = within(await screen.findByRole("dialog"));
  const send = () => user.click(dialog.getByRole("button", { name: "Send invitation" }));
  await send();
  expect(dialog.getByText("Please enter the first name")).toBeVisible();
  expect(dialog.getByLabelText("Role")).toHaveValue("member");
  await user.type(dialog.getByLabelText("First Name"), "Mia");
  await user.type(dialog.getByLabelText("Last Name"), "Mate");
  await user.type(dialog.getByLabelText("Email"), "Mia@acme.com");
  await send();
  expect(await dialog.findByText("Please use a Business Email, free emails are blocked from the platform")).toBeVisible();
  state.valid = 1;
  await send();
  expect(await dialog.findByText("Email exist, please try again with another!")).toBeVisible();
  state.available = 1;
  await send();
  expect(await screen.findByText("Your plan has no free seats left. Remove a member, or upgrade.")).toBeVisible();
  expect(sent.at(-1)!.body.resource).toEqual([{ firstname: "Mia", lastname: "Mate", name: "Mia Mate", email: "mia@acme.com", role: "member" }]);
  expect(dialog.getByLabelText("First Name")).toHaveValue("Mia");
});
