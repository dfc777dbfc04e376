/** Notices when a server that could not be reached responds again. */

const AGAIN_MS = 5000;

const waiting = new Map<() => void, () => boolean>();
let timer: ReturnType<typeof setInterval> | undefined;

function stop(): void {
  clearInterval(timer);
  timer = undefined;
}

async function ask(): Promise<void> {
  for (const [call, isWanted] of waiting) if (!isWanted()) waiting.delete(call);
  if (waiting.size === 0) return stop();
  const response = await fetch("/api/v2/config", { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) return;
  stop();
  const calls = [...waiting.keys()];
  waiting.clear();
  for (const call of calls) call();
}

/** Asks the server every few seconds, and calls back once it responds, unless `isWanted` is false by then. Returns a
 function that withdraws the call. */
export function whenBack(call: () => void, isWanted: () => boolean = () => true): () => void {
  waiting.set(call, isWanted);
  timer ??= setInterval(() => void ask(), AGAIN_MS);
  return () => void waiting.delete(call);
}
