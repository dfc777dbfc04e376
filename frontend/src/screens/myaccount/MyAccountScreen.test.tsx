import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { chooseLanguage, chosenLanguage } from "../../lib/language";
import { currentSession } from "../../stores/session";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { MyAccountScreen } from "./MyAccountScreen";

const user = userEvent.setup({ applyAccept: false });
const AT = "/dashboard/settings/myaccount";

test("a member sees name and email but no company", () => {
  serve({});
  draw(<MyAccountScreen />, { at: AT, me: accountAnswer({ role: "member" }) });
  expect(screen.getByLabelText("First Name")).toHaveValue("Olivia");
  expect(screen.getByLabelText("Email")).toHaveAttribute("readonly");
  expect(screen.queryByLabelText("Company")).toBeNull();
});

test("the owner can save the profile, and server errors appear next to their fields", async () => {
  const rejected = { code: 422, message: "Not a country", context: { scope: "resource", fields: { country: "Not a country" } } };
  const sent = serve({ "PATCH leads/_table/appuser": new ErrorResponse(422, rejected) });
  draw(<MyAccountScreen />, { at: AT });
  await user.clear(screen.getByLabelText("Last Name"));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(screen.getByText("Please enter your last name")).toBeVisible();
  await user.type(screen.getByLabelText("Last Name"), "Berg");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.getByLabelText("Country")).toHaveAccessibleDescription("Not a country"));
  expect(sent[0]!.body.resource[0]).toMatchObject({ appuserid: 1, name: "Olivia Berg", companyname: "Acme" });
});

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

test("a photo must be JPEG or PNG, and updating without one shows an error", async () => {
  serve({});
  draw(<MyAccountScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Update" }));
  expect(screen.getByText("Please add an image!")).toBeVisible();
  const input = document.querySelector<HTMLInputElement>("input[type=file]")!;
  await user.upload(input, new File(["x"], "x.gif", { type: "image/gif" }));
  expect(await screen.findByText("Please choose a JPEG or PNG image.")).toBeVisible();
});

test.each([
  ["a text named .png", new File(["text"], "text.png", { type: "image/png" }), "Please choose a JPEG or PNG image."],
  ["a file of 3 MB", new File([PNG, new Uint8Array(3_000_000)], "big.png", { type: "image/png" }), "The image is larger than 2 MB."],
])("%s is rejected, and Update does not send the previously selected photo", async (_, file, text) => {
  const sent = serve({});
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:photo", revokeObjectURL: () => undefined }));
  draw(<MyAccountScreen />, { at: AT });
  const input = document.querySelector<HTMLInputElement>("input[type=file]")!;
  await user.upload(input, new File([PNG], "good.png", { type: "image/png" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Delete" })).toBeEnabled());
  await user.upload(input, file);
  expect(await screen.findByText(text)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Update" }));
  expect(await screen.findByText("Please add an image!")).toBeVisible();
  expect(sent).toEqual([]);
});

test("a removed photo can be selected again", async () => {
  serve({});
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:photo", revokeObjectURL: () => undefined }));
  draw(<MyAccountScreen />, { at: AT });
  const input = document.querySelector<HTMLInputElement>("input[type=file]")!;
  for (let round = 0; round < 2; round++) {
    await user.upload(input, new File([PNG], "x.png", { type: "image/png" }));
    await waitFor(() => expect(screen.getByRole("button", { name: "Delete" })).toBeEnabled());
    expect(input.value, "a browser reports no change for the value that it holds").toBe("");
    await user.click(screen.getByRole("button", { name: "Delete" }));
    expect(screen.getByRole("button", { name: "Delete" })).toBeDisabled();
  }
});

test.each(["-2", "2.5", "1e3", "99999999"])("the number %s is rejected and kept as typed", async (text) => {
  const sent = serve({});
  draw(<MyAccountScreen />, { at: AT });
  for (const label of ["Sales people", "Leads needed per month"]) {
    const field = screen.getByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
    expect(field).toHaveValue(text);
    expect(field).toHaveAccessibleDescription("Please enter a whole number from 0 to 1,000,000");
  }
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(sent).toEqual([]);
});

test("the email is changed in two steps", async () => {
  const sent = serve({
    "POST validatedomain": { result: { valid: 1 } },
    "POST emailcodeverification": { success: 1 },
    "POST emailupdate": { success: 1, session_token: "second-token" },
    "PUT user/session": accountAnswer({ email: "new@acme.com", session_token: "second-token" }),
  });
  draw(<MyAccountScreen />, { at: AT });
  await user.click(screen.getByRole("button", { name: "Change email" }));
  const dialog = within(await screen.findByRole("dialog"));
  const next = () => user.click(dialog.getByRole("button", { name: "Send code" }));
  await next();
  expect(dialog.getByText("Please enter your email address")).toBeVisible();
  await user.type(dialog.getByLabelText("New Email"), "Owner@Acme-Demo.com");
  await next();
  expect(dialog.getByText("You are already using this email!")).toBeVisible();
  await user.clear(dialog.getByLabelText("New Email"));
  await user.type(dialog.getByLabelText("New Email"), "new@acme.com");
  await next();
  expect(dialog.getByLabelText("Password")).toHaveAccessibleDescription("Please enter your password");
  await user.type(dialog.getByLabelText("Password"), "Demo1234");
  await next();
  await user.click(await dialog.findByRole("button", { name: "Verify and update" }));
  expect(dialog.getByText("Verification Code Missing!")).toBeVisible();
  await user.type(dialog.getByLabelText("Verification Code"), "123");
  await user.click(dialog.getByRole("button", { name: "Verify and update" }));
  await waitFor(() => expect(currentSession()).toMatchObject({ sessionToken: "second-token", emailid: "new@acme.com" }));
  expect(await screen.findByText("Email updated successfully!")).toBeVisible();
  expect(sent.map((one) => one.path), "the profile is not saved by its dialog").not.toContain("leads/_table/appuser");
  expect(sent.find((one) => one.path === "emailcodeverification")!.body).toEqual({ oldemail: "owner@acme-demo.com", newemail: "new@acme.com", password: "Demo1234" });
  expect(sent.find((one) => one.path === "emailupdate")!.body).toMatchObject({ type: "update", newemail: "new@acme.com", code: "123" });
});

test("the mailed link opens the second step with its code, and a wrong code is reported", async () => {
  const failure = new ErrorResponse(422, { code: 422, message: "x", context: { reason: "code_mismatch", scope: "resource" } });
  serve({ "POST emailupdate": failure });
  draw(<MyAccountScreen />, { at: `${AT}?newemail=new%40acme.com&code=777` });
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByLabelText("Verification Code")).toHaveValue("777");
  await user.click(dialog.getByRole("button", { name: "Verify and update" }));
  expect(await dialog.findByText("Verification Code Mismatched")).toBeVisible();
});

const chooseGerman = async () => user.selectOptions(screen.getByLabelText("Language"), "Deutsch");
const REJECTED = { code: 422, message: "Must be one of: en, de", context: { scope: "resource" } };

test("a language rejected by the server is not applied", async () => {
  serve({ "PATCH leads/_table/appuser": new ErrorResponse(422, REJECTED) });
  draw(<MyAccountScreen />, { at: AT });
  await chooseGerman();
  expect(await screen.findByText("Must be one of: en, de")).toBeVisible();
  expect(chosenLanguage()).toBe("en");
});

test.each([
  [undefined, [{ resource: [{ appuserid: 1, language: "de" }] }]],
  [1 as const, []],
])("a language is stored in the account, but with support (%s) only in the browser", async (support, bodies) => {
  const sent = serve({ "PATCH leads/_table/appuser": { resource: [{ appuserid: 1 }] }, "PUT user/session": accountAnswer({ language: "de" }) });
  draw(<MyAccountScreen />, { at: AT, me: accountAnswer({ ...(support && { support }) }) });
  await chooseGerman();
  await waitFor(() => expect(chosenLanguage()).toBe("de"));
  expect(sent.filter(({ method }) => method === "PATCH").map(({ body }) => body)).toEqual(bodies);
  chooseLanguage("en");
});
