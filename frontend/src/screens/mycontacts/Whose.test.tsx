import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { accountAnswer, contactAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { MyContactsScreen } from "./MyContactsScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/mycontacts";
const NO_ROWS = { resource: [] };

test("the team option covers the whole account in the list and in the export", async () => {
  const sent = serve({
    "GET leads/_table/usercontact": { resource: [contactAnswer(1), contactAnswer(2)], meta: { count: 2 } },
    "GET leads/_table/appuser": { resource: [{ appuserid: 1, name: "Ann" }, { appuserid: 2, name: "Bob" }] },
    "GET leads/_table/contactfeedback": NO_ROWS,
    "GET leads/_table/contactmeta": NO_ROWS,
  });
  draw(<MyContactsScreen />, { at: AT });
  const whose = await screen.findByRole("combobox", { name: "Revealed by" });
  expect(within(whose).getAllByRole("option").slice(0, 2).map(({ textContent }) => textContent)).toEqual(["My contacts", "Revealed by your team"]);
  await user.selectOptions(whose, "Revealed by your team");
  const { clientid } = accountAnswer();
  await waitFor(() => expect(sent.at(-1)!.query.get("filter")).toBe(`(clientid=${clientid})`));

  const asked: unknown[] = [];
  const list = globalThis.fetch;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    if (init.method !== "POST") return list(url, init);
    asked.push(JSON.parse(init.body as string));
    return new Response("xlsx");
  });
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:file", revokeObjectURL: () => undefined }));
  await user.click(await screen.findByRole("checkbox", { name: "Select Person 2" }));
  await user.click(screen.getByRole("button", { name: "Export Excel" }));
  await waitFor(() => expect(asked).toEqual([{ filter: `(clientid=${clientid}) and (contactid in (:ids))`, params: { ids: [2] }, limit: 500 }]));
});
