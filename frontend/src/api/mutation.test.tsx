import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { useMutation } from "./mutation";

const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>;

const drawn = (send: (variables: unknown) => Promise<unknown>) => renderHook(useMutation<unknown, Error, unknown>, { wrapper, initialProps: { mutationFn: send } }).result;

test("the same variables twice are sent once, under way and just after the answer", async () => {
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

test("other variables, another file, and a try after a failure are sent", async () => {
  const send = vi.fn((variables: unknown) => (variables === "bad" ? Promise.reject(new Error("no")) : Promise.resolve(variables)));
  const mutation = drawn(send);
  for (const variables of [{ vote: "up" }, { vote: "down" }, { vote: "up" }, new File(["a"], "a"), new File(["a"], "a"), "bad", "bad"]) {
    await act(async () => mutation.current.mutate(variables));
  }
  expect(send).toHaveBeenCalledTimes(7);
});

test("the same again is sent once the moment of a double click is over", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const send = vi.fn(() => Promise.resolve("done"));
  const mutation = drawn(send);
  await act(async () => mutation.current.mutate("x"));
  now.mockReturnValue(600);
  await act(async () => mutation.current.mutate("x"));
  expect(send).toHaveBeenCalledTimes(2);
  now.mockRestore();
});

test("what only asks is asked again as soon as it was answered", async () => {
  const ask = vi.fn(() => Promise.resolve("done"));
  const mutation = renderHook(() => useMutation<unknown, Error, unknown>({ mutationFn: ask }, 0), { wrapper }).result;
  await act(async () => {
    mutation.current.mutate("x");
    mutation.current.mutate("x");
  });
  await act(async () => mutation.current.mutate("x"));
  expect(ask).toHaveBeenCalledTimes(2);
});
