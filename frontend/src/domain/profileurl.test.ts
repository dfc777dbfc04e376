import { expect, test } from "vitest";
import { fromHost, namesPerson, profileUrl } from "./profileurl";

test.each([
  ["https://de.linkedin.com/in/maya/", "linkedin.com/in/maya"],
  ["https://www.LinkedIn.com/in/maya", "LinkedIn.com/in/maya"],
  // If only the part from the host on counted, another site's address would become a paid profile.
  ["https://notlinkedin.com/in/x", "https://notlinkedin.com/in/x"],
  ["https://example.com/linkedin.com/in/x", "https://example.com/linkedin.com/in/x"],
  ["see https://www.linkedin.com/in/x", "linkedin.com/in/x"],
  ["view-source:https://www.linkedin.com/in/x/", "linkedin.com/in/x"],
  ["Maya <https://de.linkedin.com/in/maya/>, Berlin", "linkedin.com/in/maya"],
  ["see https://example.com/linkedin.com/in/x", "see https://example.com/linkedin.com/in/x"],
  ["https://example.com/in/x//", "https://example.com/in/x"],
  [" ", ""],
])("the input %j is sent to the API as %j", (text, expected) => expect(fromHost(text, "linkedin.com")).toBe(expected));

test.each([
  [" https://www.linkedin.com/in/maya/ ", "linkedin.com/in/maya"],
  ["http://de.linkedin.com/in/maya#about", "de.linkedin.com/in/maya"],
  ["WWW.LinkedIn.com/in/Maya", "LinkedIn.com/in/Maya"],
  ["//linkedin.com/in/maya", "linkedin.com/in/maya"],
  ["linkedin.com:443/in/maya", "linkedin.com:443/in/maya"],
  ["\u200ehttps://www.linkedin.com/in/maya\u200b", "linkedin.com/in/maya"],
  ["\ufefflinkedin.com/in/ma\u00adya", "linkedin.com/in/maya"],
  ["https://example.com/in/maya", null],
  ["https://notlinkedin.com/in/x", null],
  ["https://linkedin.com.evil.example/in/x", null],
  ["https://example.com/linkedin.com/in/x", null],
  ["https://example.com/?u=linkedin.com/in/x", null],
  ["https://linkedin.com@example.com/in/x", null],
  ["https://a@www.linkedin.com/in/x", null],
  ["https://example.com#linkedin.com/in/x", null],
  ["linkedin.com/in/maya?miniProfileUrn=urn", null],
  ["linkedin.com/in/maya?MINIPROFILEURN=urn", null],
  ["", null],
])("the input %j has the profile URL %j", (text, expected) => expect(profileUrl(text, "linkedin.com")).toBe(expected));

test.each([
  ["linkedin.com/in/maya", true],
  ["de.linkedin.com/IN/maya/de", true],
  ["linkedin.com/mwlite/in/maya", true],
  ["linkedin.com/pub/maya/1/2/3", true],
  ["linkedin.com/company/acme", false],
  ["linkedin.com/sales/lead/ACwAA,NAME_SEARCH", false],
  ["linkedin.com/feed/?to=/in/maya", false],
  ["linkedin.com/in", false],
  ["linkedin.com", false],
])("%j is the URL of a person: %j", (url, expected) => expect(namesPerson(url)).toBe(expected));
