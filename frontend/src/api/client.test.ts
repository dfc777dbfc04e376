import { beforeEach, expect, test, vi } from "vitest";
import { isPassing } from "../../shared/apierror";
import { currentSession, sessionEnded, sessionStarted, tokenReplaced } from "../stores/session";
import { call } from "./client";
import { ApiError, endsSession } from "./errors";
import { openField } from "./fieldcrypto";
import { renewing } from "./renewal";

const TOKEN = "session-token-1";
// Encrypted by the server's code for this token.
const SEALED = "v1.AAECAwQFBgcICQoL.CkE918cIxUuiGwbUVMXupgbvOUR1eyT36FeDI9hL8jy2UPY";

function answers(status: number, body: unknown, headers: Record<string, string> = {}) {
  const fetched = vi.fn(async (..._args: [string, RequestInit]) => new Response(JSON.stringify(body), { status, headers }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  return work.then(
    () => expect.fail("should have failed"),
    (error: unknown) => error as ApiError,
  );
}

beforeEach(() => {
  sessionEnded();
  sessionStarted({ apiKey: "app-key", sessionToken: TOKEN, emailid: "a@b.co" });
});

test("sends the app key, the session and the options", async () => {
  const fetched = answers(200, { ok: 1 });
  await call("GET", "leads/_table/client", { query: { related: "*", filter: undefined, limit: 5 } });
  const [url, init] = fetched.mock.calls[0]!;
  expect(url).toBe("/api/v2/leads/_table/client?related=*&limit=5");
  expect(init.headers).toEqual({ "X-API-Key": "app-key", "X-Session-Token": TOKEN, "Accept-Language": "en" });
});

test("an anonymous call sends no session token", async () => {
  const fetched = answers(200, {});
  await call("POST", "user/session", { body: {}, anonymous: true });
  expect(fetched.mock.calls[0]![1].headers).not.toHaveProperty("X-Session-Token");
});

test("decrypts contact values sealed for this session at any depth", async () => {
  const fetched = answers(200, { resource: [{ name: "v1 is fine", emails: SEALED, n: 1, none: null }] });
  const body = await call("GET", "leads/_table/usercontact", { contacts: true });
  expect(body).toEqual({ resource: [{ name: "v1 is fine", emails: "jürgen@example.com", n: 1, none: null }] });
  expect(fetched.mock.calls[0]![1].headers).toHaveProperty("X-Field-Encryption", "session-v1");
});

/** On https the browser decrypts, on plain http a script does. */
test.each([
  ["https", () => undefined],
  ["plain http", () => vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) })],
])("a value sealed for another session cannot be decrypted on %s", async (_, arrive) => {
  arrive();
  await expect(openField(SEALED, "another token")).rejects.toThrow();
  expect(await openField(SEALED, TOKEN)).toBe("jürgen@example.com");
});

test("an error response becomes an ApiError with reason and request ID", async () => {
  answers(402, { error: { code: 402, message: "No credit.", context: { reason: "no_credit", scope: "resource", request_id: "r1" } } });
  const error = await failure(call("POST", "getcontact", { body: {} }));
  expect(error).toMatchObject({ status: 402, code: 402, message: "No credit.", reason: "no_credit", requestId: "r1" });
});

test("the error of a single record becomes the error of the request", async () => {
  const one = { code: 409, message: "This email already exists.", context: { reason: "email_exists", scope: "resource" } };
  answers(400, { error: { code: 1000, message: "Batch Error", context: { error: [0], resource: [one] } } });
  const error = await failure(call("POST", "leads/_table/appuser", { body: {} }));
  expect(error).toMatchObject({ status: 409, message: one.message, reason: "email_exists" });
});

test("a numeric error is treated as an error code", async () => {
  answers(200, { success: 0, error: 802 });
  expect(await failure(call("POST", "user/session", { body: {} }))).toMatchObject({ code: 802 });
});

test("a lost connection has its own error", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
  const error = await failure(call("GET", "x"));
  expect(error).toMatchObject({ status: 0, reason: "offline" });
  expect(isPassing(error)).toBe(true);
});

test("an aborted call rejects with AbortError", async () => {
  const controller = new AbortController();
  vi.stubGlobal("fetch", (_url: string, { signal }: RequestInit) =>
    new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
  );
  const work = call("GET", "x", { signal: controller.signal });
  controller.abort();
  expect((await failure(work)).name).toBe("AbortError");
});

test.each([
  [401, "account", true],
  [403, "account", true],
  [404, "account", true],
  [404, undefined, true],
  [401, "resource", false],
  [403, "resource", false],
  [404, "resource", false],
  [409, "account", false],
  [500, undefined, false],
])("status %s with scope %s ends the session: %s", (status, scope, ends) => {
  expect(endsSession(new ApiError(status, "", status, { scope: scope as "account" }))).toBe(ends);
});

/** A server that knows one token at a time; `before` runs before each answer. */
function guarded(valid: () => string, before: () => unknown = () => undefined) {
  const tokens: (string | undefined)[] = [];
  vi.stubGlobal("fetch", async (_url: string, { headers }: { headers: Record<string, string> }) => {
    const token = headers["X-Session-Token"];
    tokens.push(token);
    await before();
    const ended = { error: { code: 401, message: "over", context: { scope: "account" } } };
    return token === valid() ? new Response(JSON.stringify({ ok: 1 })) : new Response(JSON.stringify(ended), { status: 401 });
  });
  return tokens;
}

test("a 401 for a replaced token is retried once with the new token", async () => {
  const tokens = guarded(() => "second", () => tokenReplaced("second"));
  expect(await call("PATCH", "leads/_table/appuser", { body: {} })).toEqual({ ok: 1 });
  expect(tokens).toEqual([TOKEN, "second"]);
});

test("a 401 that arrives during a token renewal waits for the new token before the retry", async () => {
  const tokens = guarded(() => "second");
  let answer!: () => void;
  const replaced = renewing(async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    tokenReplaced("second");
  });
  const asked = call("GET", "x");
  await vi.waitFor(() => expect(tokens).toEqual([TOKEN]));
  answer();
  expect(await asked).toEqual({ ok: 1 });
  await replaced;
});

test("a 401 for the current token ends the session, even after a failed renewal", async () => {
  const tokens = guarded(() => "none");
  await renewing(() => Promise.reject(new Error("rejected"))).catch(() => undefined);
  expect(endsSession(await failure(call("GET", "x")))).toBe(true);
  expect(tokens).toEqual([TOKEN]);
});

test("a request is not retried under another user, and that user stays signed in", async () => {
  const tokens = guarded(() => "hers", () => sessionStarted({ apiKey: "app-key", sessionToken: "hers", emailid: "c@d.co" }));
  expect(endsSession(await failure(call("POST", "getcontact", { body: {} })))).toBe(false);
  expect(tokens).toEqual([TOKEN]);
  expect(currentSession()?.sessionToken).toBe("hers");
});

test("a token stored by another tab is used before the storage event arrives", async () => {
  const tokens = guarded(() => "second", () => {
    const stored = JSON.parse(localStorage.getItem("session")!);
    stored.state.session.sessionToken = "second";
    localStorage.setItem("session", JSON.stringify(stored));
  });
  expect(await call("GET", "x")).toEqual({ ok: 1 });
  expect(tokens).toEqual([TOKEN, "second"]);
});

test("values are decrypted with the token of their request, even if it was replaced meanwhile", async () => {
  vi.stubGlobal("fetch", async () => {
    tokenReplaced("second");
    return new Response(JSON.stringify({ emails: SEALED }));
  });
  expect(await call("GET", "leads/_table/usercontact", { contacts: true })).toEqual({ emails: "jürgen@example.com" });
});
