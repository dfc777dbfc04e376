/** Renders a screen as the app does, with a table of responses instead of the server. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { RouterProvider, createMemoryRouter, useLocation } from "react-router";
import { vi } from "vitest";
import { account } from "../api/account";
import { Notes } from "../app/Notes";
import { makeQueryClient } from "../app/queries";
import { sessionExpired, sessionStarted } from "../stores/session";
import { accountAnswer } from "./answers";

export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  body: any;
  headers: Headers;
}

type Reply = unknown | ((sent: Sent) => unknown);

/** A response with an error status. */
export class ErrorResponse {
  constructor(
    readonly status: number,
    readonly error: object | number,
  ) {}
}

/** Answers `METHOD path` (below /api/v2/) from a table and returns the sent requests. Any other request fails the test. */
export function serve(replies: Record<string, Reply>): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, "http://localhost");
    const request: Sent = {
      method: init.method ?? "GET",
      path: url.pathname.replace("/api/v2/", ""),
      query: url.searchParams,
      body: typeof init.body === "string" ? JSON.parse(init.body) : init.body,
      headers: new Headers(init.headers),
    };
    sent.push(request);
    const reply = replies[`${request.method} ${request.path}`];
    if (reply === undefined) throw new Error(`no answer for ${request.method} ${request.path}`);
    const value = typeof reply === "function" ? await reply(request) : reply;
    const [status, body] = value instanceof ErrorResponse ? [value.status, { error: value.error }] : [200, value];
    return new Response(JSON.stringify(body), { status });
  });
  return sent;
}

interface Options {
  at?: string;
  /** The route of the screen, if it has parameters or child routes. */
  route?: string;
  /** The history state of the first address. */
  state?: unknown;
  /** null without a session. */
  me?: ReturnType<typeof accountAnswer> | null;
}

/** Renders a screen at an address, signed in by default. `where()` returns the present address. */
export function draw(screen: ReactNode, { at = "/", route, state: first, me = accountAnswer() }: Options = {}) {
  const queries = makeQueryClient();
  // Retries would delay the test by seconds.
  queries.setDefaultOptions({ ...queries.getDefaultOptions(), queries: { ...queries.getDefaultOptions().queries, retryDelay: 0 } });
  if (me) {
    sessionStarted({ apiKey: "app-key", sessionToken: me.session_token, emailid: me.email });
    queries.setQueryData(account.queryKey, me);
  } else {
    sessionExpired();
  }
  const path = at.split("?")[0]!;
  const router = createMemoryRouter(
    [
      { path: route ?? path, element: screen },
      { path: "*", element: <Elsewhere /> },
    ],
    { initialEntries: [{ pathname: path, search: at.slice(path.length), state: first }] },
  );
  const view = render(
    <MantineProvider forceColorScheme="light" env="test">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Notes />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const where = () => router.state.location.pathname + router.state.location.search;
  const state = (): unknown => router.state.location.state;
  return { ...view, queries, where, state };
}

function Elsewhere() {
  return <p>at {useLocation().pathname}</p>;
}

/** Matches the innermost element with exactly this text, even if its children contain parts of it, as in an address. */
export const whole = (text: string) => (_: string, element: Element | null) =>
  element?.textContent === text && ![...element.children].some((child) => child.textContent === text);
