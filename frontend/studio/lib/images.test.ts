import { beforeEach, expect, test } from "vitest";
import { imageColumn, imageOf, switchImages } from "./images";

beforeEach(() => localStorage.clear());

test.each([
  ["https://here.example/a.png", null],
  ["https://other.example/a.png?size=2", "other.example"],
  ["http://other.example:8080/a.JPG#x", "other.example:8080"],
  ["data:image/png;base64,AAAA", null],
])("%j is recognised as an image loaded from the host %j", (value, host) => expect(imageOf(value, "https://here.example")).toEqual({ source: value, host }));

test.each(["data:image/svg+xml;base64,AAAA", "data:text/html,a.png", "https://here.example/a.html?b=a.png", "javascript:a.png", "//here.example/a.png", "a.png", null, 5])(
  "%j is not recognised as an image",
  (value) => expect(imageOf(value, "https://here.example")).toBeNull(),
);

test("images are switched per column, and names with slashes do not collide", () => {
  switchImages(imageColumn("shop", "a", "b/c"));
  switchImages(imageColumn("shop", "a/b", "c"));
  expect(JSON.parse(localStorage.getItem("studio.images")!)).toEqual(["shop/a/b%2Fc", "shop/a%2Fb/c"]);
  switchImages(imageColumn("shop", "a", "b/c"));
  expect(JSON.parse(localStorage.getItem("studio.images")!)).toEqual(["shop/a%2Fb/c"]);
});
