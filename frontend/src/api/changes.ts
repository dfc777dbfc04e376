/** A stream of changes of one table: reopened when it ends, resumed where it left off, and closed in a hidden tab. */
import { currentSession } from "../stores/session";
import { config } from "./config";
import { addressOf, headersOf } from "./transport";

export interface Events {
  /**
 * The list must be read again: at the first event, and after a gap. `since` is the time at which the stream was
 * opened.
 */
  reset: (since: number) => void;
  /** A row was created or changed; its new state is given. */
  row: (row: unknown) => void;
  /** A row was deleted; its key is given. */
  gone: (key: unknown) => void;
  /** Whether the stream is open. */
  open: (isOpen: boolean) => void;
  /** The session was rejected. */
  rejected: () => void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const HIDDEN_MS = 20_000;
/** Without a heartbeat for this long, the connection is considered dead. */
const SILENT_MS = 60_000;
// The server has no streams of this table: this does not change while the page is open.
const NEVER = new Set([400, 403, 404, 409]);

/** Follows a table until the returned function is called. `fields` limits the fields sent of each row. */
export function follow(table: string, fields: string, events: Events): () => void {
  const ended = new AbortController();
  let last = "";
  let failures = 0;

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      await shown(ended.signal);
      if (ended.signal.aborted || (await once()) === "never") return;
      await wait(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + Math.random()), ended.signal);
    }
  }

  async function once(): Promise<"again" | "never"> {
    const stop = new AbortController();
    const release = closeWhenHidden(stop);
    const signal = AbortSignal.any([stop.signal, ended.signal]);
    try {
      const address = addressOf(`${config().dataset}/_table/${table}/_changes`, { fields });
      const headers = headersOf({ appkey: config().appkey, token: currentSession()?.sessionToken });
      const response = await fetch(address, { signal, headers: { ...headers, ...(last && { "Last-Event-ID": last }) } });
      if (!response.ok || !response.body) {
        failures += 1;
        if (response.status === 401) events.rejected();
        return NEVER.has(response.status) ? "never" : "again";
      }
      events.open(true);
      await read(response.body, Date.now(), stop);
      return "again";
    } catch {
      if (!signal.aborted) failures += 1;
      return "again";
    } finally {
      release();
      events.open(false);
    }
  }

  async function read(body: ReadableStream<Uint8Array>, since: number, stop: AbortController): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let text = "";
    for (;;) {
      const silent = setTimeout(() => stop.abort(), SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      blocks.forEach((block) => dispatch(block, since));
    }
  }

  function dispatch(block: string, since: number): void {
    const { id, event, data } = fieldsOf(block);
    if (event) failures = 0;
    if (event === "reset") events.reset(since);
    else if (event === "row") events.row(JSON.parse(data ?? "null"));
    else if (event === "gone") events.gone(JSON.parse(data ?? "null"));
    if (id) last = id;
  }

  void run();
  return () => ended.abort();
}

/** The fields of one event. */
export function fieldsOf(block: string): Record<string, string | undefined> {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]);
  return Object.fromEntries(lines.filter(([name]) => name));
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Waits until the tab is visible. */
function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve();
    const done = new AbortController();
    const look = () => (!document.hidden || signal.aborted) && (done.abort(), resolve());
    document.addEventListener("visibilitychange", look, { signal: done.signal });
    signal.addEventListener("abort", look, { signal: done.signal });
  });
}

/** Aborts when the tab has been hidden for a while: a browser has few connections to one server. */
function closeWhenHidden(stop: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => stop.abort(), HIDDEN_MS);
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}
