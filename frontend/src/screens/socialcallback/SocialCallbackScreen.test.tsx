import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { draw, serve } from "../../testing/render";
import { SocialCallbackScreen } from "./SocialCallbackScreen";

test("a window without an opener shows the progress and then a link to the sign-in page", async () => {
  // Browsers do not let a script close a window that it did not open; jsdom does.
  vi.spyOn(window, "close").mockImplementation(() => undefined);
  serve({});
  draw(<SocialCallbackScreen />, { at: "/socialcallback?error=access_denied", me: null });
  expect(screen.getByRole("heading", { level: 1, name: "Signing you in…" })).toBeVisible();
  expect(await screen.findByRole("heading", { level: 1, name: "The sign-in was not completed" }, { timeout: 10_000 })).toBeVisible();
  expect(screen.getByRole("button", { name: "Go To Login" })).toHaveAttribute("href", "/login");
});
