import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { settleToasts, toast, toastClosed, toastHeld, toastUndone, toastWithUndo, undoLast } from "./toasts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await settleToasts();
  vi.useRealTimers();
});

function change(text = "Removed") {
  const log: string[] = [];
  const id = toastWithUndo(text, { undo: () => log.push("undo"), settled: () => log.push("settled") });
  return { id, log };
}

test("a change is sent when its message times out, is closed or is pushed out by newer messages", () => {
  const byTime = change();
  vi.advanceTimersByTime(8000);
  const byCross = change();
  toastClosed(byCross.id);
  const byOthers = change();
  for (const text of ["one", "two", "three"]) toast(text);
  expect([byTime.log, byCross.log, byOthers.log]).toEqual([["settled"], ["settled"], ["settled"]]);
});

test("an undone change is never sent", async () => {
  const { id, log } = change();
  toastUndone(id);
  toastUndone(id);
  vi.advanceTimersByTime(60_000);
  await settleToasts();
  expect(log).toEqual(["undo"]);
});

test("a message stays while it is held, and restarts its full timeout afterwards", () => {
  const { id, log } = change();
  toastHeld(id, true);
  vi.advanceTimersByTime(60_000);
  expect(log).toEqual([]);
  toastHeld(id, false);
  vi.advanceTimersByTime(7999);
  expect(log).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(log).toEqual(["settled"]);
});

test("changes are undone in reverse order until none is left", () => {
  const first = change("first");
  const second = change("second");
  toast("in between");
  expect([undoLast(), second.log, first.log]).toEqual([true, ["undo"], []]);
  expect([undoLast(), undoLast()]).toEqual([true, false]);
});

test("leaving the page waits for pending changes to be sent", async () => {
  let isSent = false;
  toastWithUndo("Removed", { undo: () => undefined, settled: () => Promise.resolve().then(() => (isSent = true)) });
  await settleToasts();
  expect(isSent).toBe(true);
});
