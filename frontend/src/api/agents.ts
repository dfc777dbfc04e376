/** Authorization requests of applications that want to act for the user, and the decision. */
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { keys } from "./keys";
import { useMutation } from "./mutation";

/** The request of an application; only `redirect` if the request is invalid. */
export interface AccessRequest {
  redirect: string;
  name: string;
  host: string;
  answered: string;
  scopes: string[];
}

const PATH = "oauth/authorize";

/** The request in the address of the screen. Its parameters are passed to the server unchanged. */
export const accessRequest = (search: string) =>
  queryOptions({
    queryKey: keys.accessRequest(search),
    queryFn: ({ signal }) => call<AccessRequest>("GET", PATH, { query: Object.fromEntries(new URLSearchParams(search)), signal }),
    staleTime: Infinity,
    retry: false,
  });

/** Grants some scopes or denies the request; returns the address to open. */
export function useDecision(search: string) {
  return useMutation({
    mutationFn: (decision: { allow: boolean; scopes: string[] }) =>
      call<{ redirect: string }>("POST", PATH, { body: { ...Object.fromEntries(new URLSearchParams(search)), ...decision } }),
  });
}
