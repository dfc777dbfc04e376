import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { Outlet, RouterProvider, createMemoryRouter } from "react-router";
import { expect, test, vi } from "vitest";
import { ScreenFailed } from "./ScreenFailed";

async function open(error: Error) {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const failing = { path: "/", lazy: () => Promise.reject(error) };
  const frame = (
    <>
      <nav>Menu</nav>
      <Outlet />
    </>
  );
  const router = createMemoryRouter([{ element: frame, children: [{ errorElement: <ScreenFailed />, children: [failing] }] }]);
  render(
    <MantineProvider>
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  expect(await screen.findByText("Menu")).toBeVisible();
}

test.each(["Failed to fetch dynamically imported module: http://a/b.js", "error loading dynamically imported module", "Importing a module script failed."])(
  "a screen that fails to load keeps the menu and shows a retry button: %s",
  async (message) => {
    await open(new TypeError(message));
    expect(screen.getByText("The server cannot be reached. Check your connection and try again.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Try again" })).toBeVisible();
  },
);

test("a screen that throws keeps the menu and does not blame the connection", async () => {
  await open(new Error("x is undefined"));
  expect(screen.getByText("This page stopped working")).toBeVisible();
  expect(screen.getByRole("button", { name: "Reload" })).toBeVisible();
});
