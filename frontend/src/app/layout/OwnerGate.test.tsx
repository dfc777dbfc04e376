import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { RouterProvider, createMemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { account } from "../../api/account";
import { makeQueryClient } from "../queries";
import { accountAnswer } from "../../testing/answers";
import { OwnerGate } from "./OwnerGate";

function open(role: string) {
  const queries = makeQueryClient();
  queries.setQueryData(account.queryKey, accountAnswer({ role }));
  const router = createMemoryRouter([{ element: <OwnerGate />, children: [{ path: "/", element: <p>Invoices</p> }] }]);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

test("a member sees a message that only the owner can open the page", () => {
  open("member");
  expect(screen.getByText("Only the owner can open this page")).toBeVisible();
  expect(screen.getByRole("link", { name: "Go to the dashboard" })).toBeVisible();
  expect(screen.queryByText("Invoices")).toBeNull();
});

test("the owner sees the page", () => {
  open("client");
  expect(screen.getByText("Invoices")).toBeVisible();
});
