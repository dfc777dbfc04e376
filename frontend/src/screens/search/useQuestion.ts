/** Keep the search in the address: profile and kinds. Back and a shared link run the same search. */
import { useLocalStorage } from "@mantine/hooks";
import { useLocation, useSearchParams } from "react-router";
import { profileHost } from "../../api/config";
import type { Asked } from "../../api/contacts";
import { profileUrl } from "../../domain/profileurl";
import { KINDS, type Kind } from "../../domain/reveal";

export type Boxes = Record<Kind, boolean>;

export interface SearchErrors {
  url?: string | undefined;
  options?: string | undefined;
  /** The typed text if it may be the name of a person. */
  name?: string | undefined;
}

const boxesOf = (kinds: readonly string[]): Boxes => ({
  phone: kinds.includes("phone"),
  business: kinds.includes("business"),
  personal: kinds.includes("personal"),
});

const kindsOf = (boxes: Boxes): Kind[] => KINDS.filter((kind) => boxes[kind]);

export interface Question {
  asked: Asked | null;
  boxes: Boxes;
  /** Runs the search, even for the same profile again. */
  ask: (url: string) => void;
  /** Changes the kinds and repeats the search, if there was one. */
  tick: (boxes: Boxes) => void;
}

export function useQuestion(): Question {
  const [params, setParams] = useSearchParams();
  const [kept, keep] = useLocalStorage<Kind[]>({ key: "searchkinds", defaultValue: [], getInitialValueInEffect: false });
  // In the history entry, so that it changes together with the address.
  const run = Number((useLocation().state as { run?: number } | null)?.run ?? 0);

  const url = profileUrl(params.get("url") ?? "", profileHost());
  const named = params.get("kinds")?.split(",");
  // A link without kinds requests the usual ones, or all.
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
