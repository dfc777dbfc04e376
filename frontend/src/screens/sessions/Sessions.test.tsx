import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { Sessions } from "./Sessions";

const user = userEvent.setup();
const AT = "/dashboard/settings/password";
const LIST = "GET leads/_table/usersession";
const one = (usersessionid: number, useragent: string | null) => ({
  usersessionid,
  createdon: "2026-01-10 09:00:00+00",
  lastused: "2026-01-11 09:00:00+00",
  expireson: "2099-01-10 09:00:00+00",
  ip: "192.0.2.7",
  useragent,
  agent: null as string | null,
  agentid: null as string | null,
  scopes: null as string | null,
});
const TWO = { resource: [one(1, "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"), one(2, null)] };

test("lists the active sessions, and one can be ended", async () => {
  const sent = serve({ [LIST]: TWO, "DELETE leads/_table/usersession/2": { usersessionid: 2 } });
  draw(<Sessions />, { at: AT });
  expect(await screen.findByText("Firefox, Linux")).toBeVisible();
  expect(sent[0]!.query.get("filter")).toContain("revokedon is null");
  const row = within(screen.getByText("Unknown device").closest("tr")!);
  const here = within(screen.getByText("Firefox, Linux").closest("tr")!);
  expect(here.getByText("This device")).toBeVisible();
  expect(here.queryByRole("button")).toBeNull();
  expect(row.queryByText("This device")).toBeNull();
  await user.click(row.getByRole("button", { name: /^Sign out Unknown device/ }));
  expect(await screen.findByText("Session ended.")).toBeVisible();
});

test("an application is listed with its name and permissions", async () => {
  const assistant = { ...one(3, "python-httpx"), agent: "Helper", agentid: "c1", scopes: "read reveal" };
  const sent = serve({ [LIST]: { resource: [TWO.resource[0], assistant] }, "DELETE leads/_table/usersession/3": { usersessionid: 3 } });
  draw(<Sessions />, { at: AT });
  expect(await screen.findByText(/^May read your contacts.*; reveal contact data/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: /^Sign out Helper/ }));
  expect(await screen.findByText("Session ended.")).toBeVisible();
  expect(sent.at(-2)!.method).toBe("DELETE");
});

async function end() {
  await user.click(await screen.findByRole("button", { name: "Sign out everywhere else" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Sign out everywhere else" }));
}

test("ending all other sessions needs a confirmation, and a failure shows the error", async () => {
  let rejected = true;
  const sent = serve({
    [LIST]: TWO,
    "DELETE leads/_table/usersession": () => (rejected ? new ErrorResponse(503, { code: 503, message: "Busy." }) : { resource: [] }),
  });
  draw(<Sessions />, { at: AT });
  await end();
  expect(await screen.findByText("Busy.")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  rejected = false;
  await end();
  expect(await screen.findByText("Every other session was ended.")).toBeVisible();
  expect(sent.filter(({ method }) => method === "DELETE")).toHaveLength(2);
});
