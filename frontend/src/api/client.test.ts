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

test("an anonymous call says nothing about the session", async () => {
  const fetched = answers(200, {});
  await call("POST", "user/session", { body: {}, anonymous: true });
  expect(fetched.mock.calls[0]![1].headers).not.toHaveProperty("X-Session-Token");
});

test("opens contact values that were sealed for this session, at any depth", async () => {
  const fetched = answers(200, { resource: [{ name: "v1 is fine", emails: SEALED, n: 1, none: null }] });
  const body = await call("GET", "leads/_table/usercontact", { contacts: true });
  expect(body).toEqual({ resource: [{ name: "v1 is fine", emails: "jürgen@example.com", n: 1, none: null }] });
  expect(fetched.mock.calls[0]![1].headers).toHaveProperty("X-Field-Encryption", "session-v1");
});

/** On https the browser decrypts, on plain http a script does. */
test.each([
  ["https", () => undefined],
  ["plain http", () => vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) })],
])("a value that was sealed for another session is not opened, on %s", async (_, arrive) => {
  arrive();
  await expect(openField(SEALED, "another token")).rejects.toThrow();
  expect(await openField(SEALED, TOKEN)).toBe("jürgen@example.com");
});

test("a refusal is an ApiError with its reason, scope and request", async () => {
  answers(402, { error: { code: 402, message: "No credit.", context: { reason: "no_credit", scope: "resource", request_id: "r1" } } });
  const error = await failure(call("POST", "getcontact", { body: {} }));
  expect(error).toMatchObject({ status: 402, code: 402, message: "No credit.", reason: "no_credit", requestId: "r1" });
});

test("the failure of one record is the error of the request", async () => {
  const one = { code: 409, message: "This email already exists.", context: { reason: "email_exists", scope: "resource" } };
  answers(400, { error: { code: 1000, message: "Batch Error", context: { error: [0], resource: [one] } } });
  const error = await failure(call("POST", "leads/_table/appuser", { body: {} }));
  expect(error).toMatchObject({ status: 409, message: one.message, reason: "email_exists" });
});

test("a bare number as error is a code", async () => {
  answers(200, { success: 0, error: 802 });
  expect(await failure(call("POST", "user/session", { body: {} }))).toMatchObject({ code: 802 });
});

test("no connection is an error of its own", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
  const error = await failure(call("GET", "x"));
  expect(error).toMatchObject({ status: 0, reason: "offline" });
  expect(isPassing(error)).toBe(true);
});

test("an aborted call stays an abort", async () => {
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
    const refusal = { error: { code: 401, message: "over", context: { scope: "account" } } };
    return token === valid() ? new Response(JSON.stringify({ ok: 1 })) : new Response(JSON.stringify(refusal), { status: 401 });
  });
  return tokens;
}

test("a 401 for a token that was replaced meanwhile is asked once more with the new one", async () => {
  const tokens = guarded(() => "second", () => tokenReplaced("second"));
  expect(await call("PATCH", "leads/_table/appuser", { body: {} })).toEqual({ ok: 1 });
  expect(tokens).toEqual([TOKEN, "second"]);
});

test("a 401 that overtakes the answer with the new token waits for it", async () => {
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

test("a 401 for the token of now ends the session, also after a failed replacement", async () => {
  const tokens = guarded(() => "none");
  await renewing(() => Promise.reject(new Error("refused"))).catch(() => undefined);
  expect(endsSession(await failure(call("GET", "x")))).toBe(true);
  expect(tokens).toEqual([TOKEN]);
});

test("what one person asked for is not asked again as another, who stays signed in", async () => {
  const tokens = guarded(() => "hers", () => sessionStarted({ apiKey: "app-key", sessionToken: "hers", emailid: "c@d.co" }));
  expect(endsSession(await failure(call("POST", "getcontact", { body: {} })))).toBe(false);
  expect(tokens).toEqual([TOKEN]);
  expect(currentSession()?.sessionToken).toBe("hers");
});

test("a token that another tab stored is found before its event arrives", async () => {
  const tokens = guarded(() => "second", () => {
    const stored = JSON.parse(localStorage.getItem("session")!);
    stored.state.session.sessionToken = "second";
    localStorage.setItem("session", JSON.stringify(stored));
  });
  expect(await call("GET", "x")).toEqual({ ok: 1 });
  expect(tokens).toEqual([TOKEN, "second"]);
});

test("values are opened with the token that they were sealed for", async () => {
  vi.stubGlobal("fetch", async () => {
    tokenReplaced("second");
    return new Response(JSON.stringify({ emails: SEALED }));
  });
  expect(await call("GET", "leads/_table/usercontact", { contacts: true })).toEqual({ emails: "jürgen@example.com" });
});
