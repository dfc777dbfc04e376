/** Changes of a list: its name, its sharing, its people. */
import { STALE } from "./keys";
import { call } from "./client";
import { useMutation } from "./mutation";
import { tablePath, useTableDelete, useTableWrite } from "./tables";
import { invalidate } from "./keys";
import { useQueryClient } from "@tanstack/react-query";

export const useChangeList = () => useTableWrite("contactlist", { method: "PATCH", stale: STALE.lists });
export const useDeleteList = () => useTableDelete("contactlist", { stale: STALE.lists });

/** Takes people off a list. */
export function useTakeOff() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (itemids: readonly number[]) => call("DELETE", tablePath("contactlistitem"), { body: { resource: itemids.map((itemid) => ({ itemid })) } }),
    onSuccess: () => invalidate(queries, STALE.lists),
  });
}
