import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { accountAnswer } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { AvatarMenu } from "./AvatarMenu";

test.each([
  [1, "You will need your email and password to come back."],
  [0, "You will need your Google or LinkedIn account to come back."],
] as const)("the sign-out dialog with haspassword %s shows: %s", async (haspassword, text) => {
  serve({});
  const user = userEvent.setup();
  draw(<AvatarMenu onShortcuts={() => undefined} />, { me: accountAnswer({ haspassword }) });
  await user.click(screen.getByRole("button", { name: "Account menu" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sign Out" }));
  expect(await screen.findByText(text)).toBeVisible();
});
