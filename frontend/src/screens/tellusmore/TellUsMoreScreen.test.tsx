import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { accountAnswer } from "../../testing/answers";
import { type Sent, draw, serve } from "../../testing/render";
import { TellUsMoreScreen } from "./TellUsMoreScreen";

const user = userEvent.setup();
const GOOD = {
  "PATCH leads/_table/appuser": { resource: [{ appuserid: 1 }] },
  "POST sendinvoice": { success: 1 },
  "POST sendverificationemail": { success: 1 },
  "PUT user/session": accountAnswer(),
};
const paths = (sent: Sent[]) => sent.map((one) => one.path);

test("missing and invalid values are reported next to their fields", async () => {
  serve({});
  draw(<TellUsMoreScreen />, { at: "/tellusmore" });
  await user.type(await screen.findByLabelText("Phone"), "+123");
  await user.click(screen.getByRole("button", { name: "Submit" }));
  for (const text of [
    "Please enter your company name",
    "Please Enter Valid Phone Number",
    "Please select your country",
    "Please enter the number of sales people",
  ]) {
    expect(screen.getByText(text)).toBeVisible();
  }
});

test("sends numbers and phone digits, then the invoice, and opens the dashboard", async () => {
  const sent = serve(GOOD);
  const { where } = draw(<TellUsMoreScreen />, { at: "/tellusmore" });
  await user.type(await screen.findByLabelText("Company"), "Fresh");
  await user.type(screen.getByLabelText("Phone"), "+1 (415) 555-0100");
  await user.selectOptions(screen.getByLabelText("Country"), "Germany");
  await user.type(screen.getByLabelText("Sales people"), "7");
  await user.click(screen.getByRole("button", { name: "Submit" }));
  await waitFor(() => expect(where()).toBe("/dashboard/main/dashboardmain"));
  expect(sent[0]!.body.resource).toEqual([
    {
      appuserid: 1,
      name: "Olivia Brandt",
      clientid: 1,
      role: "client",
      companyname: "Fresh",
      phonenumber: "14155550100",
      country: "DEU",
      salespeoplecount: 7,
      requiredleadcount: null,
      department: null,
    },
  ]);
  expect(paths(sent).slice(0, 2)).toEqual(["leads/_table/appuser", "sendinvoice"]);
});

test("skipping as an unverified user requests the mail and redirects to the verification", async () => {
  const sent = serve(GOOD);
  const { where } = draw(<TellUsMoreScreen />, { at: "/tellusmore", me: accountAnswer({ isverified: 0 }) });
  await user.click(await screen.findByRole("button", { name: "Skip" }));
  await waitFor(() => expect(where()).toBe("/verifyemail"));
  expect(paths(sent)[0]).toBe("sendverificationemail");
});
