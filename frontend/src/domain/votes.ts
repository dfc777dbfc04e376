/** The user's votes on contact values, by value. Pure. */
import { FEEDBACK_TYPE, type Kind } from "./reveal";

export type Vote = "upvote" | "downvote";

interface Saved {
  linkedin_url: string;
  info: string;
  type: string;
  action: Vote | "withdraw";
}

export interface Votable {
  kind: Kind;
  value: string;
}

export type Votes = ReadonlyMap<string, Vote>;

// Case-insensitive, like the server.
const keyOf = (url: string, type: string, value: string): string => [url, type, value.toLowerCase()].join("\n");

export const NO_VOTES: Votes = new Map();

export function votesByValue(saved: readonly Saved[]): Votes {
  // Always the same empty object, because a new one would rerender every cell of a list.
  if (saved.length === 0) return NO_VOTES;
  const votes = new Map<string, Vote>();
  for (const { linkedin_url, type, info, action } of saved) {
    const key = keyOf(linkedin_url, type, info);
    if (action === "withdraw") votes.delete(key);
    else votes.set(key, action);
  }
  return votes;
}

export function voteOn(votes: Votes, url: string, { kind, value }: Votable): Vote | undefined {
  return votes.get(keyOf(url, FEEDBACK_TYPE[kind], value));
}

/** The vote on a contact as a whole: down if any value is, up if every value is, mixed if only some are. */
export function voteOnAll(votes: Votes, url: string, values: readonly Votable[]): Vote | "mixed" | undefined {
  const saved = values.map((value) => voteOn(votes, url, value));
  if (saved.includes("downvote")) return "downvote";
  if (!saved.includes("upvote")) return undefined;
  return saved.every((vote) => vote === "upvote") ? "upvote" : "mixed";
}

/** Splits texts into groups of at most `most` characters, so that each fits into one filter. */
export function inPortions(texts: readonly string[], most: number): string[][] {
  const portions: string[][] = [];
  let length = most;
  for (const text of texts) {
    length += text.length;
    if (length > most) {
      portions.push([]);
      length = text.length;
    }
    portions.at(-1)!.push(text);
  }
  return portions;
}
