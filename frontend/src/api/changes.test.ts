import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sessionStarted } from "../stores/session";
import { type Events, fieldsOf, follow } from "./changes";

type Sent = { address: string; headers: Record<string, string> };

/** Answers each request with the next response, and returns what was sent. */
function answer(...responses: (() => Response)[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (address: string, init: { headers: Record<string, string>; signal: AbortSignal }) => {
    sent.push({ address, headers: init.headers });
    const next = responses.shift();
    if (!next) return new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
    return next();
  });
  return sent;
}

const events = (text: string) => () => new Response(text, { status: 200 });
const failure = (status: number) => () => new Response("{}", { status });

function seen(): { log: unknown[]; handlers: Events } {
  const log: unknown[] = [];
  return {
    log,
    handlers: {
      reset: () => log.push("reset"),
      row: (row) => log.push(row),
      gone: (key) => log.push(["gone", key]),
      open: () => undefined,
      rejected: () => log.push("rejected"),
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  sessionStarted({ apiKey: "app", sessionToken: "token", emailid: "a@b.example" });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("events reach their handlers, and a new stream resumes after the last event ID", async () => {
  const sent = answer(
    events('retry: 2000\n\nid: 1\nevent: reset\ndata: {}\n\nevent: row\ndata: {"id": 1}\n\nid: 2\nevent: gone\ndata: {"id":2}\n\n: heartbeat\nid: 3\n\n'),
  );
  const { log, handlers } = seen();
  const stop = follow("item", "id", handlers);
  await vi.waitFor(() => expect(log).toEqual(["reset", { id: 1 }, ["gone", { id: 2 }]]));
  await vi.advanceTimersByTimeAsync(2000);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[0]!.address).toContain("/_table/item/_changes?fields=id");
  expect(sent[0]!.headers).toMatchObject({ "X-Session-Token": "token" });
  expect(sent[0]!.headers).not.toHaveProperty("Last-Event-ID");
  expect(sent[1]!.headers).toMatchObject({ "Last-Event-ID": "3" });
  stop();
});

test("an event split across chunks is reassembled", async () => {
  const parts = ["id: 1\nev", 'ent: row\ndata: {"name": "', 'é"}\n', "\n"].map((part) => new TextEncoder().encode(part));
  answer(() => new Response(new ReadableStream({ start: (c) => (parts.forEach((part) => c.enqueue(part)), c.close()) })));
  const { log, handlers } = seen();
  const stop = follow("item", "id", handlers);
  await vi.waitFor(() => expect(log).toEqual([{ name: "é" }]));
  stop();
});

test("a 409 for a table without streams is not retried", async () => {
  const sent = answer(failure(409));
  const stop = follow("item", "id", seen().handlers);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(sent).toHaveLength(1);
  stop();
});

test("a 503 is retried with increasing delays", async () => {
  const sent = answer(...Array.from({ length: 20 }, () => failure(503)));
  const stop = follow("item", "id", seen().handlers);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.length).toBeLessThan(9);
  stop();
});

test("a 401 calls the rejected handler", async () => {
  answer(failure(401));
  const { log, handlers } = seen();
  const stop = follow("item", "id", handlers);
  await vi.waitFor(() => expect(log).toEqual(["rejected"]));
  stop();
});

test("a stopped stream is not reopened", async () => {
  const sent = answer();
  const stop = follow("item", "id", seen().handlers);
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  stop();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(sent).toHaveLength(1);
});

test.each([
  ["event: row\ndata: {}", { event: "row", data: "{}" }],
  [": heartbeat\nid: 5", { id: "5" }],
  ["retry: 2000", { retry: "2000" }],
])("the event block %j is parsed into its fields", (block, fields) => {
  expect(fieldsOf(block)).toEqual(fields);
});
