import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { contactAnswer } from "../../testing/answers";
import { type Sent, draw, serve } from "../../testing/render";
import { MyContactsScreen } from "./MyContactsScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/mycontacts";
const FEEDBACK = "leads/_table/contactfeedback";
const NUMBERS = ["+14155550101", "+14155550102", "+14155550103", "+14155550104"];

const contact = contactAnswer(1, { phone_numbers: NUMBERS.join(",") });

function answer(saved: Record<string, unknown>[] = []) {
  return serve({
    "GET leads/_table/usercontact": { resource: [contact], meta: { count: 1 } },
    "GET leads/_table/appuser": { resource: [] },
    "GET leads/_table/contactmeta": { resource: [] },
    [`GET ${FEEDBACK}`]: () => ({ resource: saved }),
    [`POST ${FEEDBACK}`]: ({ body: { resource } }: Sent) => {
      const withdrawn = resource.filter(({ action }: { action: string }) => action === "withdraw").map(({ info }: { info: string }) => info);
      const kept = [...saved, ...resource].filter(({ info }) => !withdrawn.includes(info));
      saved.splice(0, saved.length, ...kept);
      return { resource: resource.map((_: unknown, feedbackid: number) => ({ feedbackid })) };
    },
  });
}

const sentVotes = (sent: Sent[]) =>
  sent.filter(({ method }) => method === "POST").map(({ body: { resource } }) => resource.map((one: { action: string; info: string }) => `${one.action} ${one.info}`));

/** As displayed. */
const SHOWN = NUMBERS.map((number) => number.replace(/^\+1(\d{3})(\d{3})/, "+1 $1 $2 "));
const copies = () => screen.queryAllByRole("button", { name: /^Copy \+1415/ }).map(({ textContent }) => textContent);

test("a row shows up to three values of a kind, or the first and the number of others", async () => {
  answer();
  const { where } = draw(<MyContactsScreen />, { at: AT });
  await screen.findByText("Person 1");
  await waitFor(() => expect(copies()).toEqual(SHOWN.slice(0, 3)));
  await user.click(screen.getByRole("button", { name: "View" }));
  expect(await screen.findByRole("radio", { name: "Comfortable" })).toBeChecked();
  await user.click(screen.getByRole("radio", { name: "Compact" }));
  await waitFor(() => expect(copies()).toEqual(SHOWN.slice(0, 1)));
  expect(where()).toBe(`${AT}?compact=1`);
  expect(screen.getByRole("button", { name: /^\+2/ })).toBeVisible();
});

test("Escape closes the view menu", async () => {
  answer();
  draw(<MyContactsScreen />, { at: AT });
  await user.click(await screen.findByRole("button", { name: "View" }));
  await screen.findByRole("radio", { name: "Compact" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("radio", { name: "Compact" })).toBeNull());
  expect(screen.getByRole("button", { name: "View" })).toHaveFocus();
});

test("a second click withdraws an upvote", async () => {
  const sent = answer();
  draw(<MyContactsScreen />, { at: AT });
  const up = await screen.findByRole("button", { name: "Upvote" });
  await user.click(up);
  await waitFor(() => expect(up).toHaveAttribute("aria-pressed", "true"));
  await screen.findByText("Thanks! Your feedback has been submitted.");
  await user.click(up);
  expect(await screen.findByText("Your vote was withdrawn.")).toBeVisible();
  await waitFor(() => expect(up).toHaveAttribute("aria-pressed", "false"));
  expect(sentVotes(sent).at(-1)).toEqual(sentVotes(sent)[0].map((vote: string) => vote.replace("upvote", "withdraw")));
});

test("the dialog of a reported value can withdraw the report", async () => {
  const reported = { linkedin_url: contact.linkedinurl, info: NUMBERS[1], type: "phone", action: "downvote" };
  const sent = answer([reported]);
  draw(<MyContactsScreen />, { at: AT });
  await waitFor(() => expect(screen.getByRole("button", { name: "Downvote" })).toHaveAttribute("aria-pressed", "true"));
  await user.click(screen.getByRole("button", { name: "Downvote" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByLabelText("What is wrong?")).toHaveDisplayValue("+1 415 555 0102");
  await user.click(dialog.getByRole("button", { name: "Withdraw report" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Downvote" })).toHaveAttribute("aria-pressed", "false"));
  expect(sentVotes(sent)).toEqual([[`withdraw ${NUMBERS[1]}`]]);
});
