import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { WebhooksScreen } from "./WebhooksScreen";

const user = userEvent.setup();
const ONE = { webhookid: 7, clientid: 1, url: "https://hooks.example.com/x", events: ["plan.changed"], secret: "whsec_c2VjcmV0", isactive: 1, createdon: "2026-11-26 09:00:00+00" };
const FAILED = { deliveryid: 70, webhookid: 7, event: "plan.changed", status: "failed", attempts: 14, lastcode: 500, reason: "rejected", error: "the receiver responded with 500", createdon: "2026-11-26 09:00:00+00" };

function serving(webhooks: object[], deliveries: object[], more: Record<string, unknown> = {}) {
  return serve({
    "GET leads/_table/webhook": () => ({ resource: webhooks }),
    "GET leads/_table/webhookdelivery": { resource: deliveries, meta: { count: deliveries.length } },
    ...more,
  });
}

async function choose(item: string) {
  await user.click(await screen.findByRole("button", { name: "Actions for https://hooks.example.com/x" }));
  await user.click(await screen.findByRole("menuitem", { name: item }));
}

test("a webhook needs an address and an event, and the secret is shown once it was added", async () => {
  const webhooks: object[] = [];
  const url = { fields: { url: "Enter an address" } };
  let answer: unknown = new ErrorResponse(422, { code: 422, message: "x", context: { scope: "resource", ...url } });
  const sent = serving(webhooks, [], { "POST leads/_table/webhook": () => answer });
  draw(<WebhooksScreen />);
  await user.click(await screen.findByRole("button", { name: "Add webhook" }));
  const dialog = await screen.findByRole("dialog");
  const submit = within(dialog).getByRole("button", { name: "Add webhook" });
  for (const box of within(dialog).getAllByRole("checkbox")) await user.click(box);
  await user.click(submit);
  expect(within(dialog).getByText("Please enter an address")).toBeVisible();
  expect(within(dialog).getByText("Choose at least one event")).toBeVisible();
  await user.type(within(dialog).getByLabelText("Address"), "http://hooks.example.com/x");
  await user.click(within(dialog).getByRole("checkbox", { name: "Plan changed" }));
  await user.type(within(dialog).getByLabelText("Password"), "Demo1234");
  await user.click(submit);
  expect(await within(dialog).findByText("Enter an address")).toBeVisible();
  answer = { resource: [ONE] };
  webhooks.push(ONE);
  await user.clear(within(dialog).getByLabelText("Address"));
  await user.type(within(dialog).getByLabelText("Address"), `${ONE.url}{Enter}`);
  expect(await within(dialog).findByText(ONE.secret)).toBeVisible();
  expect(sent.filter(({ method }) => method === "POST").at(-1)?.body).toEqual({
    resource: [{ url: ONE.url, events: ["plan.changed"] }],
    password: "Demo1234",
  });
});

test.each([
  [{ delivered: true, lastcode: 204, reason: null, problem: null }, "Delivered: the receiver responded with 204"],
  [
    { delivered: false, lastcode: null, reason: "blocked", problem: "the host is unknown or not a public address" },
    "Not delivered. The address is not reachable from the internet",
  ],
  [{ delivered: false, lastcode: null, reason: "from_a_later_version", problem: "the moon is full" }, "Not delivered. the moon is full"],
])("a test that ended with %j says so", async (outcome, text) => {
  serving([ONE], [], { "POST webhook/test": { success: 1, milliseconds: 5, ...outcome } });
  draw(<WebhooksScreen />);
  await choose("Send a test");
  expect(await screen.findByText(text)).toBeVisible();
});

test("a failed event shows its reason and can be sent again", async () => {
  const sent = serving([ONE], [FAILED], { "POST webhook/resend": { success: 1 } });
  draw(<WebhooksScreen />);
  expect((await screen.findAllByText("The receiver responded with 500"))[0]).toBeVisible();
  await user.click((await screen.findAllByRole("button", { name: /^Send Plan changed of/ }))[0]!);
  await waitFor(() => expect(sent.find(({ path }) => path === "webhook/resend")?.body).toEqual({ deliveryid: 70 }));
});

test("a webhook is paused and deleted from its menu", async () => {
  const sent = serving([ONE], [], { "PATCH leads/_table/webhook": { resource: [{ webhookid: 7 }] }, "DELETE leads/_table/webhook/7": { resource: [{ webhookid: 7 }] } });
  draw(<WebhooksScreen />);
  await choose("Pause");
  await waitFor(() => expect(sent.find(({ method }) => method === "PATCH")?.body).toEqual({ resource: [{ webhookid: 7, isactive: 0 }] }));
  await choose("Delete");
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(sent.some(({ method, path }) => method === "DELETE" && path.endsWith("webhook/7"))).toBe(true));
});
