/** Keep the search in the address: profile and kinds. Back and a shared link run the same search. */
import { useLocalStorage } from "@mantine/hooks";
import { useLocation, useSearchParams } from "react-router";
import { profileHost } from "../../api/config";
import type { Asked } from "../../api/contacts";
import { profileUrl } from "../../domain/profileurl";
import { KINDS, type Kind } from "../../domain/reveal";

export type Boxes = Record<Kind, boolean>;

const boxesOf = (kinds: readonly string[]): Boxes => ({
  phone: kinds.includes("phone"),
  business: kinds.includes("business"),
  personal: kinds.includes("personal"),
});

const kindsOf = (boxes: Boxes): Kind[] => KINDS.filter((kind) => boxes[kind]);

export interface Question {
  asked: Asked | null;
  boxes: Boxes;
  /** Asks, also for the same profile again. */
  ask: (url: string) => void;
  /** Change the kinds; a search that was run is run again. */
  tick: (boxes: Boxes) => void;
}

export function useQuestion(): Question {
  const [params, setParams] = useSearchParams();
  const [kept, keep] = useLocalStorage<Kind[]>({ key: "searchkinds", defaultValue: [], getInitialValueInEffect: false });
  // In the entry of the history, so that it changes together with the address.
  const run = Number((useLocation().state as { run?: number } | null)?.run ?? 0);

  const url = profileUrl(params.get("url") ?? "", profileHost());
  const named = params.get("kinds")?.split(",");
  // A link without kinds asks for the usual ones, or for all.
  const boxes = boxesOf(url && !named && kept.length === 0 ? KINDS : url && named ? named : kept);
  const isAsked = url !== null && kindsOf(boxes).length > 0;

  const go = (to: string, next: Boxes, replace: boolean) => {
    setParams({ url: to, kinds: kindsOf(next).join(",") }, { replace, preventScrollReset: true, state: { run: run + 1 } });
  };
  return {
    asked: isAsked ? { linkedinurl: url, ...boxes, run } : null,
    boxes,
    ask: (to) => go(to, boxes, to === url),
    tick: (next) => {
      keep(kindsOf(next));
      if (url !== null) go(url, next, true);
    },
  };
}
