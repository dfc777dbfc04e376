import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { accountAnswer } from "../../testing/answers";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { TwoStep } from "./TwoStep";

const user = userEvent.setup();
const SETUP = { success: 1, secret: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", uri: "otpauth://totp/x?secret=ABCD", setup: "s" };

const field = (name: string, text: string) =>
  new ErrorResponse(422, { code: 422, message: text, context: { scope: "resource", fields: { [name]: text } } });

async function ask(password: string) {
  await user.click(screen.getByRole("button", { name: "Set up" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(dialog.getByLabelText("Password"), password);
  await user.click(dialog.getByRole("button", { name: "Set up" }));
}

test("an account without a password cannot turn it on", () => {
  draw(<TwoStep />, { me: accountAnswer({ haspassword: 0 }) });
  expect(screen.getByRole("status")).toHaveTextContent("password");
  expect(screen.queryByRole("button", { name: "Set up" })).toBeNull();
});

test("a wrong password is shown at its field until it is changed", async () => {
  serve({ "POST user/mfa/setup": field("password", "Your password is not correct") });
  draw(<TwoStep />);
  await ask("Wrong1234");
  await waitFor(() => expect(screen.getByLabelText("Password")).toHaveAccessibleDescription("Your password is not correct"));
  await user.type(screen.getByLabelText("Password"), "x");
  expect(screen.getByLabelText("Password")).toHaveAccessibleDescription("");
});

test("the key is shown in groups, and the codes stay until they have been saved", async () => {
  let answer: unknown = field("setup", "This took too long. Please start again");
  const sent = serve({ "POST user/mfa/setup": SETUP, "POST user/mfa/confirm": () => answer, "PUT user/session": accountAnswer({ hasmfa: 1 }) });
  draw(<TwoStep />);
  await ask("Demo1234");
  expect(await screen.findByText("ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Turn on" }));
  expect(screen.getByLabelText("Code")).toHaveAccessibleDescription("Please enter the code");
  await user.type(screen.getByLabelText("Code"), "123456{Enter}");
  expect(await screen.findByText("This took too long. Please start again")).toBeVisible();
  answer = { success: 1, recoverycodes: ["abcde-fghij", "klmno-pqrst"] };
  await user.type(screen.getByLabelText("Code"), "{Backspace}7{Enter}");
  const codes = await screen.findByRole("list", { name: "Save your recovery codes" });
  expect(within(codes).getAllByRole("listitem").map((one) => one.textContent)).toEqual(["abcde-fghij", "klmno-pqrst"]);
  await user.click(screen.getByRole("button", { name: "I have saved them" }));
  expect(await screen.findByRole("button", { name: "Turn off" })).toBeVisible();
  expect(sent.filter(({ path }) => path === "user/mfa/confirm").at(-1)?.body).toEqual({ setup: "s", code: "123457" });
});

test("turning it off asks for the password and a code", async () => {
  const rejected = { reason: "confirmation_required", case: "mfa_code_wrong", missing: ["code"], scope: "resource" };
  let answer: unknown = new ErrorResponse(403, { code: 403, message: "This code is not correct", context: rejected });
  const sent = serve({ "POST user/mfa/disable": () => answer, "PUT user/session": () => accountAnswer({ hasmfa: answer instanceof ErrorResponse ? 1 : 0 }) });
  draw(<TwoStep />, { me: accountAnswer({ hasmfa: 1 }) });
  await user.click(screen.getByRole("button", { name: "Turn off" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText("Password"), "Demo1234");
  await user.click(within(dialog).getByRole("button", { name: "Turn off" }));
  expect(within(dialog).getByLabelText("Code")).toHaveAccessibleDescription("Please enter the code");
  await user.type(within(dialog).getByLabelText("Code"), "123456{Enter}");
  await waitFor(() => expect(within(dialog).getByLabelText("Code")).toHaveAccessibleDescription("This code is not correct"));
  answer = { success: 1 };
  await user.type(within(dialog).getByLabelText("Code"), "{Backspace}7{Enter}");
  expect(await screen.findByRole("heading", { name: "Two-step sign-in is off" })).toBeVisible();
  expect(sent.filter(({ path }) => path === "user/mfa/disable").map(({ body }) => body)).toEqual([
    { password: "Demo1234", code: "123456" },
    { password: "Demo1234", code: "123457" },
  ]);
});
