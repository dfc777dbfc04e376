/** The search filters, kept in the address: Back and a shared link repeat the search. */
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { type Asked, type Field, readAsked, writeAsked } from "../../domain/peoplefilter";

export function useAsked(fields: readonly Field[]): [Asked, (change: Partial<Asked>) => void] {
  const [params, setParams] = useSearchParams();
  const asked = useMemo(() => readAsked(params, fields), [params, fields]);
  const change = (part: Partial<Asked>) => setParams(writeAsked({ ...asked, ...part }), { preventScrollReset: true });
  return [asked, change];
}
