import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { MASKED, accountAnswer, contactAnswer } from "../../testing/answers";
import { ErrorResponse, type Sent, draw, serve, whole } from "../../testing/render";
import { SearchScreen } from "./SearchScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/search";
const URL_TEXT = "https://www.linkedin.com/in/maya/";
const NO_EMAILS = { ...MASKED, emails: [], business_email_encrypted: false, personal_email_encrypted: false };

async function ask(...boxes: string[]) {
  await user.type(screen.getByLabelText("Profile URL"), URL_TEXT);
  for (const box of boxes) await user.click(screen.getByRole("checkbox", { name: box }));
  await user.click(screen.getByRole("button", { name: "Search" }));
}

test("a search needs an option and a LinkedIn URL", async () => {
  const sent = serve({});
  draw(<SearchScreen />);
  expect(screen.getByText("Use search options to find contacts")).toBeVisible();
  expect(screen.getByRole("button", { name: "Search" })).toBeDisabled();
  await user.type(screen.getByLabelText("Profile URL"), "https://example.com/in/maya");
  await user.click(screen.getByRole("checkbox", { name: "Work Email" }));
  await user.click(screen.getByRole("button", { name: "Search" }));
  expect(screen.getByText("Please input correct url")).toBeVisible();
  expect(sent).toEqual([]);
});

test("Enter without an option shows a message, and a URL of another host shows an error", async () => {
  const sent = serve({});
  draw(<SearchScreen />);
  const url = screen.getByLabelText("Profile URL");
  await user.type(url, "https://notlinkedin.com/in/x{Enter}");
  expect(screen.getByRole("alert")).toHaveTextContent("Please choose options");
  await user.click(screen.getByRole("checkbox", { name: "Work Email" }));
  expect(screen.queryByText("Please choose options")).toBeNull();
  await user.type(url, "{Enter}");
  expect(url).toHaveAccessibleDescription("Please input correct url");
  expect(sent).toEqual([]);
});

test("a URL rejected by the server is reported next to its field", async () => {
  const fields = { linkedinurl: "Please input correct url" };
  serve({ "POST searchurl": new ErrorResponse(422, { code: 422, message: "x", context: { scope: "resource", fields } }) });
  draw(<SearchScreen />);
  await ask("Cell Number");
  const url = screen.getByLabelText("Profile URL");
  await waitFor(() => expect(url).toHaveAccessibleDescription("Please input correct url"));
  expect(screen.queryByRole("alert")).toBeNull();
  await user.type(url, "x");
  expect(url).not.toHaveAccessibleDescription();
});

test("shows masked values, and after a reveal the value and the new balance", async () => {
  const credits = { contactcredit: 4, bus_email_credits: 4, personal_email_credits: 3 };
  const sent = serve({
    "POST searchurl": { data: [MASKED] },
    "POST getcontact": { contactdata: [contactAnswer(1)], charged: 1, credits },
    "GET leads/_table/contactfeedback": { resource: [] },
  });
  draw(<SearchScreen />);
  await ask("Cell Number", "Work Email");
  expect(await screen.findByText("MAYA THORNTON")).toBeVisible();
  expect(screen.getByText("+**********")).toBeVisible();
  expect(screen.getByText("Verified")).toBeVisible();
  expect(sent[0]!.body).toEqual({ linkedinurl: "linkedin.com/in/maya", phone: true, business: true, personal: false });

  await user.click(screen.getByRole("button", { name: /^Reveal Cell Number/ }));
  expect(await screen.findByText("+1 415 555 1001")).toBeVisible();
  expect(sent[1]!.body).toEqual({ linkedinurl: MASKED.linkedinurl, type: "directdial", action: "reveal" });
  expect(screen.queryByRole("button", { name: /^Reveal Cell Number/ })).toBeNull();
  expect(screen.getByRole("button", { name: /^Reveal Work Email/ })).toBeVisible();
  expect(within(screen.getByRole("group", { name: "Search options" })).getAllByText("4 left")).toHaveLength(2);
});

test("reveal all reveals every hidden kind for one credit each", async () => {
  const credits = { contactcredit: 4, bus_email_credits: 3, personal_email_credits: 2 };
  const sent = serve({
    "POST searchurl": { data: [{ ...MASKED, title: "CTO", company: "Acme", country: "USA" }] },
    "POST getcontact": { contactdata: [contactAnswer(1)], charged: 1, credits },
    "GET leads/_table/contactfeedback": { resource: [] },
  });
  draw(<SearchScreen />);
  await ask("Cell Number", "Work Email", "Secondary Email");
  expect((await screen.findByRole("link", { name: "Acme" })).parentElement).toHaveTextContent("CTO · Acme · United States");
  await user.click(await screen.findByRole("button", { name: "Reveal all · 3 credits" }));
  for (const value of ["+1 415 555 1001", "p1@work.example", "p1@home.example"]) expect(await screen.findByText(whole(value))).toBeVisible();
  expect(sent.filter(({ path }) => path === "getcontact").map(({ body }) => body.type)).toEqual(["directdial", "businessemail", "personalemail"]);
  expect(screen.getByText("Saved in My Contacts")).toBeVisible();
  expect(screen.getByRole("link", { name: "Show it there" })).toHaveAttribute("href", "/dashboard/main/mycontacts?search=Maya%20Thornton");
  expect(screen.getByRole("link", { name: /^Maya Thornton/ })).toHaveAttribute("href", "/?url=linkedin.com%2Fin%2Fmaya");
});

test("reveal all skips kinds without credits", async () => {
  const left = { contactcredit: 0, bus_email_credits: 3, personal_email_credits: 2 };
  const sent = serve({
    "POST searchurl": { data: [MASKED] },
    "POST getcontact": { contactdata: [contactAnswer(1)], charged: 1, credits: left },
    "GET leads/_table/contactfeedback": { resource: [] },
  });
  const { where } = draw(<SearchScreen />, { me: accountAnswer({ credits: left }) });
  const at = where();
  await ask("Cell Number", "Work Email", "Secondary Email");
  await user.click(await screen.findByRole("button", { name: "Reveal all · 2 credits" }));
  expect(await screen.findByText(whole("p1@home.example"))).toBeVisible();
  expect(sent.filter(({ path }) => path === "getcontact").map(({ body }) => body.type)).toEqual(["businessemail", "personalemail"]);
  expect(screen.getByText("+**********")).toBeVisible();
  expect(where().split("?")[0]).toBe(at.split("?")[0]);
});

test("search parameters in the URL start a search", async () => {
  const sent = serve({ "POST searchurl": { data: [] } });
  draw(<SearchScreen />, { at: "/?url=linkedin.com%2Fin%2Fmaya&kinds=business,personal" });
  expect(await screen.findByText("No contact details found.")).toBeVisible();
  expect(sent.map(({ body }) => body)).toEqual([{ linkedinurl: "linkedin.com/in/maya", phone: false, business: true, personal: true }]);
  expect(screen.getByLabelText("Profile URL")).toHaveValue("linkedin.com/in/maya");
  expect(screen.getByRole("checkbox", { name: "Cell Number" })).not.toBeChecked();
});

test("changing an option after a search repeats it", async () => {
  const sent = serve({ "POST searchurl": ({ body }: Sent) => ({ data: body.personal ? [MASKED] : [NO_EMAILS] }) });
  draw(<SearchScreen />);
  await ask("Work Email");
  expect(await screen.findByText("No email found")).toBeVisible();
  await user.click(screen.getByRole("checkbox", { name: "Secondary Email" }));
  expect(await screen.findByRole("button", { name: /^Reveal Secondary Email/ })).toBeVisible();
  expect(sent).toHaveLength(2);
});

test("a reveal without credits of its kind redirects to the plans", async () => {
  const sent = serve({ "POST searchurl": { data: [MASKED] } });
  const { where } = draw(<SearchScreen />, { me: accountAnswer({ credits: { bus_email_credits: 0 } }) });
  await ask("Work Email");
  await user.click(await screen.findByRole("button", { name: /^Reveal Work Email/ }));
  await waitFor(() => expect(where()).toBe("/dashboard/upgradeplan"));
  expect(sent.map((one) => one.path)).toEqual(["searchurl"]);
});

test("a 402 for a reveal redirects to the plans", async () => {
  const failure = new ErrorResponse(402, { code: 402, message: "No credit", context: { reason: "no_credit", scope: "resource" } });
  serve({ "POST searchurl": { data: [MASKED] }, "POST getcontact": failure });
  const { where } = draw(<SearchScreen />);
  await ask("Cell Number");
  await user.click(await screen.findByRole("button", { name: /^Reveal Cell Number/ }));
  await waitFor(() => expect(where()).toBe("/dashboard/upgradeplan"));
  expect(screen.getByText("Cell Number Credits Over")).toBeVisible();
});

test.each([
  ["by the balance that is shown", { contactcredit: 0 }, []],
  ["by the server", {}, ["getcontact"]],
])("a member without credits keeps the result and sees the reason, detected %s", async (_, credits, calls) => {
  const failure = new ErrorResponse(402, { code: 402, message: "No credit", context: { reason: "no_credit", scope: "resource" } });
  const sent = serve({ "POST searchurl": { data: [MASKED] }, "POST getcontact": failure });
  const { where } = draw(<SearchScreen />, { me: accountAnswer({ role: "member", credits }) });
  await ask("Cell Number");
  await user.click(await screen.findByRole("button", { name: /^Reveal Cell Number/ }));
  const field = within(screen.getByRole("region", { name: "Cell Number" }));
  expect(await field.findByRole("alert")).toHaveTextContent("Cell Number Credits Over. Ask the owner of your account for more credits.");
  expect(field.getByText("+**********")).toBeVisible();
  expect(where()).toMatch(/^\/\?url=/);
  expect(sent.map((one) => one.path)).toEqual(["searchurl", ...calls]);
});

test("a member without any credits is referred to the owner and sees no upgrade button", async () => {
  serve({ "POST searchurl": { data: [MASKED] } });
  const none = { contactcredit: 0, bus_email_credits: 0, personal_email_credits: 0, emailcredit: 0 };
  draw(<SearchScreen />, { me: accountAnswer({ role: "member", credits: none }) });
  await ask("Cell Number");
  expect(await screen.findByText("All credits exhausted")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Upgrade Your Plan" })).toBeNull();
});

test("without any credits, nothing can be revealed", async () => {
  serve({ "POST searchurl": { data: [MASKED] } });
  const none = { contactcredit: 0, bus_email_credits: 0, personal_email_credits: 0, emailcredit: 0 };
  draw(<SearchScreen />, { me: accountAnswer({ credits: none }) });
  const reason = await screen.findByText("All credits exhausted");
  const start = screen.getByText("Use search options to find contacts");
  expect(start).toBeVisible();
  expect(reason.compareDocumentPosition(start)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  await ask("Cell Number");
  await waitFor(() => expect(screen.queryByText("Use search options to find contacts")).toBeNull());
  expect(await screen.findByText("All credits exhausted")).toBeVisible();
  expect(screen.getByRole("button", { name: "Upgrade Your Plan" })).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Reveal/ })).toBeNull();
});

test("an empty result shows a message, and a failed search shows the error", async () => {
  let broken = false;
  serve({ "POST searchurl": () => (broken ? new ErrorResponse(422, { code: 422, message: "Please input correct url", context: { scope: "resource" } }) : { data: [] }) });
  draw(<SearchScreen />);
  await ask("Cell Number");
  expect(await screen.findByText("No contact details found.")).toBeVisible();
  expect(screen.getByText("No details matched to find the contact details. Please try another url.")).toBeVisible();
  broken = true;
  await user.click(screen.getByRole("button", { name: "Search" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Please input correct url");
});

test("a company URL shows a hint about profile URLs", async () => {
  serve({ "POST searchurl": { data: [] } });
  draw(<SearchScreen />);
  await ask("Cell Number");
  expect(await screen.findByText("No contact details found.")).toBeVisible();
  expect(screen.queryByText(/begins with/)).toBeNull();
  await user.clear(screen.getByLabelText("Profile URL"));
  await user.type(screen.getByLabelText("Profile URL"), "https://www.linkedin.com/company/acme{Enter}");
  expect(await screen.findByText("The address of a person begins with linkedin.com/in/. Open the profile of the person and copy its address.")).toBeVisible();
});

test("a number can be flagged with its correction, and a confirmation is shown", async () => {
  const shown = { ...MASKED, phone_encrypted: false, phone_numbers: ["+14155550100"] };
  const sent = serve({
    "POST searchurl": { data: [shown] },
    "POST leads/_table/contactfeedback": { resource: [{ feedbackid: 1 }] },
    "GET leads/_table/contactfeedback": { resource: [{ linkedin_url: MASKED.linkedinurl, info: "+14155550100", type: "phone", action: "upvote" }] },
  });
  draw(<SearchScreen />);
  await ask("Cell Number");
  await waitFor(() => expect(screen.getByRole("button", { name: "Upvote +14155550100" })).toHaveAttribute("aria-pressed", "true"));
  await user.click(await screen.findByRole("button", { name: "Flag +14155550100" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("radio", { name: "Out of service" })).toBeChecked();
  await user.click(dialog.getByRole("radio", { name: "Invalid cell number" }));
  await user.click(dialog.getByRole("button", { name: "Submit" }));
  expect(dialog.getByText("Please enter the correct cell number")).toBeVisible();
  await user.type(dialog.getByLabelText("Correct cell number"), "+1 415 555 0199");
  await user.click(dialog.getByRole("button", { name: "Submit" }));
  expect(await screen.findByText("Thanks! Your feedback has been submitted.")).toBeVisible();
  expect(sent.findLast((one) => one.method === "POST")!.body.resource).toEqual([
    {
      linkedin_url: MASKED.linkedinurl,
      action: "downvote",
      info: "+14155550100",
      type: "phone",
      downvotereason: "invalid",
      reasonnote: "+1 415 555 0199",
    },
  ]);
});

test("revealed values have call and mail links, and earlier reveals of the team are shown", async () => {
  const revealed = [{ type: "directdial", appuserid: 9, name: "Max Member", revealedon: "2026-11-03T10:00:00Z" }];
  const emails = [{ address: "maya@acme.example", type: "business", encrypted: false, validation: "valid" }];
  const shown = { ...MASKED, emails, business_email_encrypted: false, phone_encrypted: false, phone_numbers: ["+493012345678"], revealed };
  serve({ "POST searchurl": { data: [shown] }, "GET leads/_table/contactfeedback": { resource: [] } });
  draw(<SearchScreen />, { at: `${AT}?url=linkedin.com/in/maya&kinds=phone,business` });
  expect(await screen.findByRole("link", { name: "+49 30 12345678" })).toHaveAttribute("href", "tel:+493012345678");
  expect(screen.getByRole("link", { name: "Call" })).toHaveAttribute("href", "tel:+493012345678");
  expect(screen.getByText(/^Landline · \d\d:\d\d in Berlin$/)).toBeVisible();
  expect(screen.getByRole("link", { name: "maya@acme.example" })).toHaveAttribute("href", "mailto:maya@acme.example");
  expect(screen.getByText(/^0 credits, Max Member revealed this on 3 Nov/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Call +493012345678 from a phone" }));
  expect(await screen.findByRole("img", { name: "QR code that calls +493012345678" })).toBeVisible();
});

test("a contact can be saved as a vCard, once by a double click", async () => {
  const files: Blob[] = [];
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: (file: Blob) => (files.push(file), "blob:card"), revokeObjectURL: () => undefined }));
  const shown = { ...MASKED, phone_encrypted: false, phone_numbers: ["+493012345678"] };
  serve({ "POST searchurl": { data: [shown] }, "GET leads/_table/contactfeedback": { resource: [] } });
  draw(<SearchScreen />, { at: `${AT}?url=linkedin.com/in/maya&kinds=phone,business` });
  await user.dblClick(await screen.findByRole("button", { name: "Save vCard" }));
  expect(files).toHaveLength(1);
  const text = await files[0]!.text();
  expect(text).toContain("TEL;TYPE=CELL:+493012345678");
  expect(text).not.toContain("EMAIL");
});

test("a name links to the people search, and several URLs open the bulk lookup", async () => {
  serve({});
  localStorage.setItem("searchkinds", JSON.stringify(["phone"]));
  draw(<SearchScreen />, { at: AT });
  await user.type(screen.getByLabelText("Profile URL"), "Maya Thornton{Enter}");
  expect(screen.getByRole("link", { name: "Search for people named “Maya Thornton”" })).toHaveAttribute("href", "/dashboard/main/peoplesearch?name=Maya%20Thornton");
  await user.clear(screen.getByLabelText("Profile URL"));
  await user.paste("linkedin.com/in/a\nlinkedin.com/in/b");
  expect(await screen.findByText("at /dashboard/main/bulklookup")).toBeVisible();
});
