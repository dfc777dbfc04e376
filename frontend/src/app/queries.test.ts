import { QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { ApiError } from "../api/errors";
import { makeQueryClient } from "./queries";

test("a read that failed is repeated by itself once the server responds", async () => {
  const send = vi.fn<typeof fetch>().mockImplementation(() => Promise.resolve(Response.json({})));
  vi.stubGlobal("fetch", send);
  const read = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new ApiError(0, "")).mockResolvedValue("rows");
  const observer = new QueryObserver(makeQueryClient(), { queryKey: ["list"], queryFn: read, retry: false });
  const leave = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isError).toBe(true));
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("rows"), { timeout: 15_000 });
  expect(send.mock.calls.map(([address]) => address)).toEqual(["/api/v2/config"]);
  leave();
}, 20_000);

test("a rejected read is not repeated", async () => {
  const read = vi.fn<() => Promise<string>>().mockRejectedValue(new ApiError(422, ""));
  const queries = makeQueryClient();
  const observer = new QueryObserver(queries, { queryKey: ["list"], queryFn: read });
  const leave = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isError).toBe(true));
  expect(read).toHaveBeenCalledOnce();
  leave();
});
