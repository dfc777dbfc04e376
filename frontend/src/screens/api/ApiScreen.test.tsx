import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Credits } from "../../api/types";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { ApiScreen } from "./ApiScreen";

const user = userEvent.setup();
const AT = "/dashboard/settings/api";
const KEY = { keyid: 3, apikey: "abcdefgh12345678", purpose: "CRM", isactive: 1, createdon: "2026-01-10 09:00:00+00", lastused: null, istest: 0 };
const USED = { keyid: 3, apikey: KEY.apikey, callcount: 12, isdeleted: 0, personalemailcount: 2, businessemailcount: 4, directdialscount: 1 };
const GONE = { ...USED, keyid: 2, callcount: 5, isdeleted: 1 };
const LIST = { "GET leads/_table/apikeys": { resource: [KEY], meta: { count: 1 } }, "POST getapiusagedata": { resource: [USED, GONE] } };

function owner({ apiaccess = 1, ...credits }: Partial<Credits> & { apiaccess?: number } = {}) {
  const me = accountAnswer({ credits });
  me.client_by_clientid.usersubscription_by_clientid[0]!.subscriptionplan_by_planid!.apiaccess = apiaccess;
  return me;
}

test("a plan without API access shows an upgrade button and no create button", async () => {
  serve({ "GET leads/_table/apikeys": { resource: [], meta: { count: 0 } } });
  draw(<ApiScreen />, { at: AT, me: owner({ apiaccess: 0 }) });
  expect(screen.getByText("Unlock the Power of Our API")).toBeVisible();
  expect(screen.getByRole("button", { name: "Upgrade Now" })).toHaveAttribute("href", "/dashboard/upgradeplan");
  expect(await screen.findByText("no data found")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Create API key" })).toBeNull();
});

test("a key is created with the generated name and needs a purpose", async () => {
  const sent = serve({ ...LIST, "POST generateapikey": { apikey: "ZZZZ9999ZZZZ9999" }, "POST leads/_table/apikeys": { resource: [KEY] } });
  draw(<ApiScreen />, { at: AT, me: owner() });
  await user.click(screen.getByRole("button", { name: "Create API key" }));
  const dialog = within(await screen.findByRole("dialog"));
  await waitFor(() => expect(dialog.getByLabelText("Key Name")).toHaveValue("ZZZZ9999ZZZZ9999"));
  expect(dialog.getByLabelText("Key Name")).toHaveAttribute("readonly");
  await user.type(dialog.getByLabelText("Purpose"), "   ");
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(dialog.getByText("Please enter a purpose")).toBeVisible();
  await user.type(dialog.getByLabelText("Purpose"), "Nightly sync ");
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(dialog.getByLabelText("Password")).toHaveAccessibleDescription("Please enter your password");
  await user.type(dialog.getByLabelText("Password"), "Demo1234");
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(await screen.findByText("API key created successfully!")).toBeVisible();
  const created = sent.find(({ method, path }) => method === "POST" && path.endsWith("apikeys"))!;
  expect(created.body).toEqual({ resource: [{ apikey: "ZZZZ9999ZZZZ9999", purpose: "Nightly sync" }], password: "Demo1234" });
});

test("a test key is generated, marked, and the example finds the test person for free", async () => {
  const sent = serve({ ...LIST, "GET leads/_table/apikeys": { resource: [{ ...KEY, istest: 1 }], meta: { count: 1 } }, "POST generateapikey": ({ body }: { body: { test: boolean } }) => ({ apikey: body.test ? "test_ZZZZ9999ZZZ" : "ZZZZ9999ZZZZ9999" }) });
  draw(<ApiScreen />, { at: AT, me: owner() });
  expect(await screen.findByText("Test")).toBeVisible();
  const quick = within(screen.getByRole("region", { name: "Quick start" }));
  expect(quick.getByText(/curl --get/)).toHaveTextContent("linkedin.com/in/test_found");
  expect(quick.getByText(/ada\.found@test\.example/)).toBeVisible();
  expect(quick.getByText(/"credits_left"/).closest("pre")).toHaveTextContent('"charged": 0, "credits_left": 100');
  await user.click(screen.getByRole("button", { name: "Create API key" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("checkbox", { name: "Test key" }));
  await waitFor(() => expect(dialog.getByLabelText("Key Name")).toHaveValue("test_ZZZZ9999ZZZ"));
  expect(sent.filter(({ path }) => path === "generateapikey").map(({ body }) => body)).toEqual([{ test: false }, { test: true }]);
});

test("without keys left, the create button is missing", async () => {
  serve(LIST);
  draw(<ApiScreen />, { at: AT, me: owner({ apicallcount: 0 }) });
  expect(await screen.findByText("0 keys left")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Create API key" })).toBeNull();
});

const figure = (name: string) => screen.getByRole("region", { name }).textContent;

test("monthly usage includes deleted keys, and the quick start contains the key", async () => {
  serve(LIST);
  draw(<ApiScreen />, { at: AT, me: owner({ apicallcount: 4 }) });
  const row = within((await screen.findAllByText(KEY.apikey)).map((one) => one.closest("tr")).find(Boolean)!);
  expect(await row.findByText("12")).toBeVisible();
  expect(figure("Calls this month")).toContain("17");
  expect(figure("Credits spent this month")).toContain("14");
  expect(screen.getByText("/5")).toBeVisible();
  const quick = within(screen.getByRole("region", { name: "Quick start" }));
  expect(quick.getByText(/curl --get/)).toHaveTextContent(KEY.apikey);
  await user.click(quick.getByRole("radio", { name: "Python" }));
  expect(quick.getByText(/urllib\.request/)).toHaveTextContent(KEY.apikey);
});

test("a key can be copied, edited and, after a confirmation, soft-deleted", async () => {
  const sent = serve({ ...LIST, "PATCH leads/_table/apikeys": { resource: [{ keyid: 3 }] } });
  draw(<ApiScreen />, { at: AT, me: owner() });
  await user.click(await screen.findByRole("button", { name: `Copy ${KEY.apikey}` }));
  expect(await screen.findByText("Copied")).toBeVisible();

  await user.click(screen.getByRole("button", { name: "Edit CRM" }));
  const form = within(await screen.findByRole("dialog"));
  await user.type(form.getByLabelText("Purpose"), " and mail");
  await user.click(form.getByRole("button", { name: "Update" }));
  expect(await screen.findByText("API key updated successfully!")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

  await user.click(screen.getByRole("button", { name: "Delete CRM" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
  expect(await screen.findByText("API key deleted successfully!")).toBeVisible();
  const changes = sent.filter(({ method }) => method === "PATCH").map(({ body }) => body.resource[0]);
  expect(changes).toEqual([
    { keyid: 3, purpose: "CRM and mail" },
    { keyid: 3, isdeleted: 1, isactive: 0 },
  ]);
});

test("the try-out normalises the URL, and a missing credit shows an upgrade link", async () => {
  const answer = { data: { full_name: "Jane Roe", businessemails: ["jane@roe.example"] }, charged: 1, credits_left: 3 };
  let broken = false;
  const failure = new ErrorResponse(401, { code: 401, message: "The API key is not valid.", context: { scope: "resource" } });
  const sent = serve({ ...LIST, "GET keylookup": () => (broken ? failure : answer) });
  const { where } = draw(<ApiScreen />, { at: AT, me: owner({ contactcredit: 0 }) });
  await screen.findByText(KEY.apikey);
  await user.click(screen.getByRole("button", { name: "Try out" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByLabelText("API Key")).toHaveValue(KEY.apikey);
  await user.click(dialog.getByRole("button", { name: "Fetch Business Emails" }));
  expect(dialog.getByText("Please fill all required fields")).toBeVisible();

  await user.type(dialog.getByLabelText("LinkedIn URL"), "https://www.linkedin.com/in/jane//");
  await user.click(dialog.getByRole("button", { name: "Fetch Business Emails" }));
  expect(await dialog.findByText(/jane@roe\.example/)).toBeVisible();
  const asked = sent.find(({ path }) => path === "keylookup")!;
  expect(Object.fromEntries(asked.query)).toEqual({ linkedinurl: "linkedin.com/in/jane", apikey: KEY.apikey, type: "businessemails" });

  broken = true;
  await user.click(dialog.getByRole("button", { name: "Fetch Personal Emails" }));
  expect(await dialog.findByText("The API key is not valid.")).toBeVisible();
  expect(where()).toBe(AT);
  expect(dialog.getByRole("button", { name: "Upgrade to fetch Direct Dials" })).toHaveAttribute("href", "/dashboard/upgradeplan");
});

test("the documentation shows an example with the key in every language", async () => {
  serve(LIST);
  draw(<ApiScreen />, { at: AT, me: owner() });
  await screen.findByText(KEY.apikey);
  await user.click(screen.getByRole("button", { name: "How to use" }));
  const dialog = within(await screen.findByRole("dialog"));
  for (const [tab, text] of [["curl", /curl --get/], ["Python", /urllib\.request/], ["JavaScript", /await fetch/]] as const) {
    await user.click(dialog.getByRole("tab", { name: tab }));
    expect(dialog.getByText(text)).toBeVisible();
    expect(dialog.getByText(text)).toHaveTextContent(KEY.apikey);
  }
});
