/** Programs that call the look-up API, ready to run. Pure. */

export type Language = "curl" | "python" | "javascript";

export const LANGUAGES: readonly { value: Language; label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "python", label: "Python" },
  { value: "javascript", label: "JavaScript" },
];

interface Example {
  origin: string;
  apikey: string;
  linkedinurl: string;
}

const MAKERS: Record<Language, (example: Example) => string> = {
  curl: ({ origin, apikey, linkedinurl }) => `curl --get "${origin}/api/v2/keylookup" \\
  --header "X-API-Key: ${apikey}" \\
  --data-urlencode "linkedinurl=${linkedinurl}" \\
  --data-urlencode "type=businessemails"`,

  python: ({ origin, apikey, linkedinurl }) => `import json
import urllib.parse
import urllib.request

query = urllib.parse.urlencode({"linkedinurl": "${linkedinurl}", "type": "businessemails"})
request = urllib.request.Request(
    "${origin}/api/v2/keylookup?" + query,
    headers={"X-API-Key": "${apikey}"},
)
with urllib.request.urlopen(request, timeout=30) as response:
    answer = json.load(response)
    print(answer["data"]["businessemails"], "left:", response.headers["X-Credits-Remaining"])`,

  javascript: ({ origin, apikey, linkedinurl }) => `const query = new URLSearchParams({ linkedinurl: "${linkedinurl}", type: "businessemails" });
const response = await fetch("${origin}/api/v2/keylookup?" + query, {
  headers: { "X-API-Key": "${apikey}" },
});
if (!response.ok) throw new Error((await response.json()).error.message);
const answer = await response.json();
console.log(answer.data.businessemails, "left:", response.headers.get("X-Credits-Remaining"));`,
};

export const snippet = (language: Language, example: Example): string => MAKERS[language](example);

/** The address of a test person, found with every key at no cost. */
export const testPerson = (host: string): string => `https://www.${host}/in/test_found`;

/** The response to these programs for the test person. */
export const answer = (linkedinurl: string, left: number): string =>
  JSON.stringify(
    {
      data: { full_name: "Ada Found", linkedinurl, personalemails: [], businessemails: ["ada.found@test.example"], directdials: [] },
      charged: 0,
      credits_left: left,
    },
    null,
    2,
  );
