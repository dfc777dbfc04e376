// Reads the curl commands of an example, which samples.js of the API reference writes in other languages.

/** Split a command line into words as a shell does: quotes, backslashes, and `$NAME` from `variables`. Null for pipes,
 substitutions and loops, which curl examples do not need. */
export function split(line, variables) {
  const words = [];
  let word = null;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) return null;
      word = (word ?? "") + line.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      word ??= "";
      for (at += 1; line[at] !== '"'; at += 1) {
        if (at >= line.length || line[at] === "`") return null;
        if (line[at] === "\\" && '"\\$'.includes(line[at + 1])) at += 1;
        else if (line[at] === "$") {
          const name = /^\$(\w+)/.exec(line.slice(at))?.[1];
          if (!name || !(name in variables)) return null;
          word += variables[name];
          at += name.length;
          continue;
        }
        word += line[at];
      }
    } else if (sign === "\\") {
      at += 1;
      word = (word ?? "") + line[at];
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else if ("|&;<>`()".includes(sign)) return null;
    else if (sign === "$") {
      const name = /^\$(\w+)/.exec(line.slice(at))?.[1];
      if (!name || !(name in variables)) return null;
      word = (word ?? "") + variables[name];
      at += name.length;
    } else word = (word ?? "") + sign;
  }
  if (word !== null) words.push(word);
  return words;
}

/** The commands in a text; a quoted value may span lines, and a backslash joins lines. */
function commands(text) {
  const lines = [];
  let open = "";
  for (const line of text.replace(/\\\n\s*/g, " ").split("\n")) {
    open = open ? `${open}\n${line}` : line;
    if ((open.match(/'/g) ?? []).length % 2) continue;
    lines.push(open);
    open = "";
  }
  return open ? null : lines.filter((line) => line.trim() && !line.trim().startsWith("#"));
}

function request(words) {
  let method = "";
  let url = "";
  let query = false;
  const headers = {};
  const data = [];
  let json;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === "-s" || word === "-S" || word === "-sS" || word === "--silent") continue;
    else if (word === "-X" || word === "--request") method = words[(at += 1)];
    else if (word === "-H" || word === "--header") {
      const [, name, value] = /^([^:]+):\s*([^]*)$/.exec(words[(at += 1)] ?? "") ?? [];
      if (!name) return null;
      headers[name] = value;
    } else if (word === "--get" || word === "-G") query = true;
    else if (word === "--data-urlencode") data.push(words[(at += 1)]);
    else if (word === "--json") json = words[(at += 1)];
    else if (word.startsWith("-")) return null;
    else if (url) return null;
    else url = word;
  }
  if (!url || (data.length && !query) || json?.startsWith("@")) return null;
  if (!/^https?:/.test(url)) url = `http://${url}`;
  const pairs = data.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (pairs.length) url += `${url.includes("?") ? "&" : "?"}${new URLSearchParams(pairs)}`;
  return { method: method || (json === undefined ? "GET" : "POST"), url, headers, body: json };
}

/** Return the requests of an example, or null if it does anything besides sending requests. */
export function requests(text) {
  const variables = {};
  const found = [];
  for (const line of commands(text) ?? [""]) {
    const words = split(line, variables);
    if (!words) return null;
    const set = words[0] === "export" && /^(\w+)=([^]*)$/.exec(words[1] ?? "");
    if (set) variables[set[1]] = set[2];
    else if (words[0] === "curl") {
      const made = request(words);
      if (!made) return null;
      found.push(made);
    } else return null;
  }
  return found.length ? found : null;
}
