/** The own votes of the rows that are shown, and what a press on a row does: handed to the cells by context. */
import { createContext } from "react";
import type { UserContact } from "../../api/types";
import { valuesOf } from "../../domain/contacts";
import type { Votable, Votes } from "../../domain/votes";

export interface Voting {
  votes: Votes;
  onUpvote: (row: UserContact) => void;
  onDownvote: (row: UserContact) => void;
  onOpen: (row: UserContact) => void;
}

const nothing = () => undefined;

export const VotingContext = createContext<Voting>({ votes: new Map(), onUpvote: nothing, onDownvote: nothing, onOpen: nothing });

/** Every value of a contact that can be voted on. */
export function votableOf(row: UserContact): Votable[] {
  const { phones, business, personal } = valuesOf(row);
  return [
    ...phones.map((value): Votable => ({ kind: "phone", value })),
    ...business.map((value): Votable => ({ kind: "business", value })),
    ...personal.map((value): Votable => ({ kind: "personal", value })),
  ];
}
