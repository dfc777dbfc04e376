/** Own votes on contact values, looked up by value. Pure. */
import { FEEDBACK_TYPE, type Kind } from "./reveal";

export type Vote = "upvote" | "downvote";

interface Saved {
  linkedin_url: string;
  info: string;
  type: string;
  action: Vote;
}

export interface Votable {
  kind: Kind;
  value: string;
}

export type Votes = ReadonlyMap<string, Vote>;

// The server compares without regard to case too.
const keyOf = (url: string, type: string, value: string): string => [url, type, value.toLowerCase()].join("\n");

export function votesByValue(saved: readonly Saved[]): Votes {
  return new Map(saved.map(({ linkedin_url, type, info, action }) => [keyOf(linkedin_url, type, info), action]));
}

export function voteOn(votes: Votes, url: string, { kind, value }: Votable): Vote | undefined {
  return votes.get(keyOf(url, FEEDBACK_TYPE[kind], value));
}

/** The vote on a contact as a whole: down if any value is, up if every value is, mixed if only some are. */
export function voteOnAll(votes: Votes, url: string, values: readonly Votable[]): Vote | "mixed" | undefined {
  const found = values.map((one) => voteOn(votes, url, one));
  if (found.includes("downvote")) return "downvote";
  if (!found.includes("upvote")) return undefined;
  return found.every((vote) => vote === "upvote") ? "upvote" : "mixed";
}

/** Texts in groups that are no longer than `most` characters together, so that each fits into one filter. */
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
