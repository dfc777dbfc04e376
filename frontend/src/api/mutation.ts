/** The app's mutation hook. It sends a request once when it is triggered twice in a row, as by a double click. */
import {
  type DefaultError,
  type UseMutationOptions,
  type UseMutationResult,
  replaceEqualDeep,
  useMutation as useSingleMutation,
} from "@tanstack/react-query";
import { useMemo, useRef } from "react";

/** Milliseconds after a success in which the same variables count as a double click: the time a dialog takes to fade
 out. */
const MOMENT_MS = 500;

interface Sent<Data, Variables> {
  variables: Variables;
  answer: Promise<Data>;
  /** When the same variables may be sent again; infinite while a request is pending. */
  until: number;
}

/** As `useMutation` of TanStack Query. A repeat of the latest variables, while they are under way or just after they
   succeeded (`moment`, in milliseconds; 0 for mutations that only read), shares the response of the first. A failure
   can be retried at once. */
export function useMutation<Data = unknown, Failure = DefaultError, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Failure, Variables, Context>,
  moment = MOMENT_MS,
): UseMutationResult<Data, Failure, Variables, Context> {
  const mutation = useSingleMutation(options);
  const latest = useRef<Sent<Data, Variables | undefined> | undefined>(undefined);
  const { mutateAsync: send } = mutation;

  const once = useMemo(() => {
    const mutateAsync: typeof send = (...rest) => {
      const [variables] = rest;
      const before = latest.current;
      if (before && performance.now() < before.until && isSame(before.variables, variables)) return before.answer;
      const sent: Sent<Data, Variables | undefined> = { variables, answer: send(...rest), until: Infinity };
      latest.current = sent;
      sent.answer.then(
        () => (sent.until = performance.now() + moment),
        () => (sent.until = 0),
      );
      return sent.answer;
    };
    const mutate: typeof mutation.mutate = (...rest) => void mutateAsync(...rest).catch(() => undefined);
    return { mutate, mutateAsync };
  }, [send, moment]);
  return { ...mutation, ...once };
}

/** Plain values are compared by content, a file or a form by identity. */
const isSame = <T>(before: T, now: T): boolean => replaceEqualDeep(before, now) === before;
