import { expect, test } from "vitest";
import { readText } from "./readtext";

test.each([
  ["UTF-8", [0x4a, 0xc3, 0xb6, 0x72, 0x67]],
  ["UTF-8 with a mark", [0xef, 0xbb, 0xbf, 0x4a, 0xc3, 0xb6, 0x72, 0x67]],
  ["Windows-1252, as Excel saves CSV", [0x4a, 0xf6, 0x72, 0x67]],
  ["UTF-16, as Excel saves Unicode text", [0xff, 0xfe, 0x4a, 0, 0xf6, 0, 0x72, 0, 0x67, 0]],
  ["UTF-16, big-endian", [0xfe, 0xff, 0, 0x4a, 0, 0xf6, 0, 0x72, 0, 0x67]],
])("%s is read without replacement characters", async (_, bytes) => {
  expect(await readText(new Blob([new Uint8Array(bytes)]))).toBe("Jörg");
});
