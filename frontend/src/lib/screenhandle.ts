/** The exports of a screen's module as `handle`, besides the component. */
import type { QueryClient } from "@tanstack/react-query";

export interface ScreenHandle {
  /** Asks for the data that the screen begins with at an address, before it is drawn. */
  preload?: (queries: QueryClient, params: URLSearchParams) => Promise<unknown>;
}
