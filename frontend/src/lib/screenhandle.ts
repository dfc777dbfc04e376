/** The type of `handle`, which a screen's module exports besides its component. */
import type { QueryClient } from "@tanstack/react-query";

export interface ScreenHandle {
  /** Requests the initial data of the screen at an address before it is rendered. */
  preload?: (queries: QueryClient, params: URLSearchParams) => Promise<unknown>;
}
