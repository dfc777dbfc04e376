import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { draw, serve } from "../../testing/render";
import { ForgotPasswordScreen } from "./ForgotPasswordScreen";

const user = userEvent.setup();

test("a password reset needs a valid email address", async () => {
  const sent = serve({ "POST user/password": { success: true } });
  draw(<ForgotPasswordScreen />, { at: "/forgotpassword", me: null });
  const send = () => user.click(screen.getByRole("button", { name: "Send reset link" }));
  await send();
  expect(screen.getByText("Please enter your email address")).toBeVisible();
  await user.type(screen.getByLabelText("Email"), "Nora");
  await send();
  expect(screen.getByText("Invalid email")).toBeVisible();
  await user.type(screen.getByLabelText("Email"), "@Fresh.com");
  await send();
  expect(await screen.findByText(/^The reset link has been sent/)).toBeVisible();
  expect(sent[0]!.body).toEqual({ email: "nora@fresh.com" });
});
