import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { useMutation } from "./mutation";

const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>;

const drawn = (send: (variables: unknown) => Promise<unknown>) => renderHook(useMutation<unknown, Error, unknown>, { wrapper, initialProps: { mutationFn: send } }).result;

test("repeated variables are sent once, both in flight and just after the response", async () => {
  const send = vi.fn(() => Promise.resolve("done"));
  const mutation = drawn(send);
  await act(async () => {
    mutation.current.mutate({ purpose: "x" });
    mutation.current.mutate({ purpose: "x" });
    await expect(mutation.current.mutateAsync({ purpose: "x" })).resolves.toBe("done");
  });
  await act(async () => mutation.current.mutate({ purpose: "x" }));
  expect(send).toHaveBeenCalledTimes(1);
});

test("different variables, a different file and a retry after a failure are sent", async () => {
  const send = vi.fn((variables: unknown) => (variables === "bad" ? Promise.reject(new Error("no")) : Promise.resolve(variables)));
  const mutation = drawn(send);
  for (const variables of [{ vote: "up" }, { vote: "down" }, { vote: "up" }, new File(["a"], "a"), new File(["a"], "a"), "bad", "bad"]) {
    await act(async () => mutation.current.mutate(variables));
  }
  expect(send).toHaveBeenCalledTimes(7);
});

test("the same variables are sent again after the double-click interval", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const send = vi.fn(() => Promise.resolve("done"));
  const mutation = drawn(send);
  await act(async () => mutation.current.mutate("x"));
  now.mockReturnValue(600);
  await act(async () => mutation.current.mutate("x"));
  expect(send).toHaveBeenCalledTimes(2);
  now.mockRestore();
});

test("with an interval of 0, the same variables are sent again right after the response", async () => {
  const ask = vi.fn(() => Promise.resolve("done"));
  const mutation = renderHook(() => useMutation<unknown, Error, unknown>({ mutationFn: ask }, 0), { wrapper }).result;
  await act(async () => {
    mutation.current.mutate("x");
    mutation.current.mutate("x");
  });
  await act(async () => mutation.current.mutate("x"));
  expect(ask).toHaveBeenCalledTimes(2);
});
