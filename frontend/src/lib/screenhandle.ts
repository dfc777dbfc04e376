/** What the module of a screen may export as `handle`, beside the component. */
import type { QueryClient } from "@tanstack/react-query";

export interface ScreenHandle {
  /** Asks for the data that the screen begins with at an address, before it is drawn. */
  preload?: (queries: QueryClient, params: URLSearchParams) => Promise<unknown>;
}
