import { expect, test, vi } from "vitest";
import { whenBack } from "./whenback";

const SECONDS = 5000;

test("a call is made once the server responds, and not again", async () => {
  vi.useFakeTimers();
  const send = vi.fn<typeof fetch>().mockRejectedValueOnce(new TypeError("offline")).mockResolvedValueOnce(new Response("", { status: 503 })).mockResolvedValue(Response.json({}));
  vi.stubGlobal("fetch", send);
  const call = vi.fn<() => void>();
  whenBack(call);
  await vi.advanceTimersByTimeAsync(2 * SECONDS);
  expect(send).toHaveBeenCalledTimes(2);
  expect(call).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3 * SECONDS);
  expect(call).toHaveBeenCalledOnce();
  expect(send).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});

test("the server is not asked for a call that is withdrawn or no longer wanted", async () => {
  vi.useFakeTimers();
  const send = vi.fn<typeof fetch>();
  vi.stubGlobal("fetch", send);
  const call = vi.fn<() => void>();
  whenBack(call)();
  whenBack(call, () => false);
  await vi.advanceTimersByTimeAsync(2 * SECONDS);
  expect(send).not.toHaveBeenCalled();
  expect(call).not.toHaveBeenCalled();
  vi.useRealTimers();
});
