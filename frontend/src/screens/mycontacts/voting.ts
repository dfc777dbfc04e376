/** The user's votes on the visible rows and the handlers of their buttons, passed to the cells by context. */
import { createContext } from "react";
import type { UserContact } from "../../api/types";
import { valuesOf } from "../../domain/contacts";
import type { Votable, Votes } from "../../domain/votes";

export interface Voting {
  votes: Votes;
  onUpvote: (row: UserContact) => void;
  onDownvote: (row: UserContact) => void;
  onOpen: (row: UserContact) => void;
  /** Ids of contacts that can still be restored. */
  removed: ReadonlyMap<number, number>;
  /** Whether a contact is on the user's own list, from which it can be removed. */
  isMine: (row: UserContact) => boolean;
  onRemove: (row: UserContact) => void;
  onRestore: (row: UserContact) => void;
}

const nothing = () => undefined;

export const VotingContext = createContext<Voting>({
  votes: new Map(),
  onUpvote: nothing,
  onDownvote: nothing,
  onOpen: nothing,
  removed: new Map(),
  isMine: () => false,
  onRemove: nothing,
  onRestore: nothing,
});

const votables = new WeakMap<UserContact, readonly Votable[]>();

/** Every value of a contact that can be voted on. Cached by row object, because each cell of a row needs them; a
   changed row is a new object. */
export function votableOf(row: UserContact): readonly Votable[] {
  const known = votables.get(row);
  if (known) return known;
  const { phones, business, personal } = valuesOf(row);
  const made = [
    ...phones.map((value): Votable => ({ kind: "phone", value })),
    ...business.map((value): Votable => ({ kind: "business", value })),
    ...personal.map((value): Votable => ({ kind: "personal", value })),
  ];
  votables.set(row, made);
  return made;
}
