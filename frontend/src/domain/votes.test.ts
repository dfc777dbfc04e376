import { expect, test } from "vitest";
import { inPortions, voteOn, voteOnAll, votesByValue } from "./votes";

const URL_TEXT = "https://www.linkedin.com/in/a";
const votes = votesByValue([
  { linkedin_url: URL_TEXT, info: "A@b.example", type: "businessemail", action: "upvote" },
  { linkedin_url: URL_TEXT, info: "+1", type: "phone", action: "downvote" },
]);
const EMAIL = { kind: "business", value: "a@B.example" } as const;
const PHONE = { kind: "phone", value: "+1" } as const;
const OTHER = { kind: "personal", value: "a@b.example" } as const;

test("a vote applies to one value of one kind of one person", () => {
  expect(voteOn(votes, URL_TEXT, EMAIL)).toBe("upvote");
  expect(voteOn(votes, URL_TEXT, OTHER)).toBeUndefined();
  expect(voteOn(votes, `${URL_TEXT}b`, EMAIL)).toBeUndefined();
});

test.each([
  [[EMAIL], "upvote"],
  [[EMAIL, OTHER], "mixed"],
  [[EMAIL, PHONE], "downvote"],
  [[OTHER], undefined],
  [[], undefined],
])("the combined vote on %j is %s", (values, vote) => expect(voteOnAll(votes, URL_TEXT, values)).toBe(vote));

test("texts are split into batches up to the size limit", () => {
  expect(inPortions(["aaa", "bb", "cccc", "d"], 5)).toEqual([["aaa", "bb"], ["cccc", "d"]]);
  expect(inPortions(["too long for one"], 5)).toEqual([["too long for one"]]);
  expect(inPortions([], 5)).toEqual([]);
});
