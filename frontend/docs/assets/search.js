// Search over the documentation, with the index that is built along with the pages. Loaded when the search is opened.

const MAX_RESULTS = 12;
const MAX_OF_A_PAGE = 3;
/** Synonyms. Each list is a topic; a search for one of its words also finds pages with the others. */
const SYNONYMS = [
  ["pagination", "paging", "pages", "page", "cursor", "cursors", "offset", "limit"],
  ["login", "signin", "sign-in", "logon", "authentication", "auth", "authenticate", "session", "credentials"],
  ["error", "errors", "refused", "reason", "reasons", "status"],
  ["code", "codes"],
  ["docker", "container", "compose", "image", "kubernetes", "deployment"],
  ["endpoint", "endpoints", "script", "scripts", "route", "call", "calls", "rpc"],
  ["custom", "own"],
  ["permission", "permissions", "rights", "policy", "access", "authorization", "role", "roles", "rbac"],
  ["rls", "row"],
  ["join", "joins", "embed", "expand", "include", "relation", "relations", "related", "nested"],
  ["query", "filter", "filters", "where"],
  ["insert", "create", "post"],
  ["update", "change", "patch"],
  ["procedure", "function", "functions", "routine", "stored"],
  ["upload", "file", "files", "attachment"],
  ["realtime", "websocket", "sse", "subscribe", "live", "stream", "changes"],
  ["ai", "llm", "agent", "agents", "mcp", "claude", "chatgpt"],
  ["cron", "schedule", "scheduled", "job", "jobs", "queue", "background"],
  ["webhook", "webhooks", "hook", "hooks", "trigger"],
  ["sdk", "client", "clients", "typescript", "python", "generator"],
  ["key", "keys", "apikey", "token", "tokens"],
  ["install", "installation", "setup", "start"],
  ["faq", "questions"],
  ["transaction", "batch", "bulk"],
  ["ratelimit", "rate", "throttle", "limits"],
  ["gdpr", "ccpa", "erasure", "erase", "removal", "remove", "deletion", "privacy", "opt-out", "unsubscribe"],
  ["credits", "balance", "402"],
  ["date", "dates", "since", "between"],
  ["cache", "cached", "fresh", "current", "outdated"],
  ["two-factor", "2fa", "mfa", "two-step"],
  ["crm", "hubspot", "salesforce", "pipedrive"],
];
/** Pages that explain how to do something come before those that explain decisions and measurements. */
const SECTIONS = [["explanation/decisions/", 0.4], ["explanation/", 0.5], ["reference/", 0.8], ["", 1]];
const STOP = new Set(["a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "in", "is", "it", "my", "of", "on", "or", "the", "to", "what", "with", "add", "use"]);

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*/gu) ?? [];
const plain = (html) => html.replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, "&").replace(/\s+/g, " ").trim();

/** Return the index of the items of search.json: lower-case texts next to the displayed ones. */
export function indexed(items) {
  return items.map(({ location, title, text, level, path, tags = [] }) => {
    const body = plain(text);
    return { location, level, title: plain(title), path, body, name: ` ${plain(title).toLowerCase()} `, where: path.join(" ").toLowerCase(), low: ` ${body.toLowerCase()}`, tags: tags.join(" ").toLowerCase() };
  });
}

/** Score how well a word describes an item: a title counts more than a text, a whole word more than a prefix. */
function weight(item, word) {
  let points = 0;
  if (item.name.includes(` ${word} `)) points += 12;
  else if (item.name.includes(` ${word}`)) points += 7;
  else if (item.name.includes(word)) points += 4;
  if (item.where.includes(word)) points += 3;
  if (` ${item.tags} `.includes(` ${word} `)) points += 16;
  else if (item.tags.includes(word)) points += 10;
  const at = item.low.indexOf(word);
  if (at >= 0) points += (/[^\p{L}\p{N}]/u.test(item.low[at - 1] ?? " ") ? 2 : 1) + (at < 300 ? 1 : 0);
  return points;
}

/** Return the best items for a query. Not every word has to occur, but each one that does raises the score. */
export function best(index, query) {
  const all = wordsOf(query);
  const words = all.filter((word) => !STOP.has(word));
  const asked = words.length ? words : all;
  if (!asked.length) return { words: [], found: [] };
  const whole = asked.join(" ");
  const groups = asked.map((word) => {
    const others = SYNONYMS.filter((list) => list.includes(word)).flat().filter((other) => other !== word);
    return { word, others };
  });
  const scored = [];
  for (const item of index) {
    let score = 0;
    let hits = 0;
    for (const { word, others } of groups) {
      const own = weight(item, word);
      const other = own ? 0 : Math.max(0, ...others.map((each) => weight(item, each))) * 0.5;
      if (own || other) hits += 1;
      score += own + other;
    }
    if (!hits) continue;
    if (whole.includes(" ") && item.name.includes(whole)) score += 20;
    else if (whole.includes(" ") && item.low.includes(whole)) score += 8;
    if (item.level === 1) score *= 1.3;
    score *= SECTIONS.find(([start]) => item.location.startsWith(start))[1];
    scored.push({ item, score: score * (hits / groups.length) ** 2 });
  }
  scored.sort((one, other) => other.score - one.score);
  return { words: [...new Set(groups.flatMap(({ word, others }) => [word, ...others]))], asked, found: varied(scored.map(({ item }) => item)).slice(0, MAX_RESULTS) };
}

/** Return items with at most a few sections of one page. */
function varied(items) {
  const seen = new Map();
  return items.filter(({ location }) => {
    const page = location.split("#")[0];
    seen.set(page, (seen.get(page) ?? 0) + 1);
    return seen.get(page) <= MAX_OF_A_PAGE;
  });
}

function extract(item, words) {
  const at = words.map((word) => item.low.indexOf(` ${word}`)).filter((place) => place >= 0);
  const from = at.length ? Math.max(0, Math.min(...at) - 40) : 0;
  const start = from ? item.body.indexOf(" ", from) + 1 : 0;
  return (from ? "… " : "") + item.body.slice(start, start + 140) + (item.body.length > start + 140 ? " …" : "");
}

/** Return text nodes and `mark` elements that highlight the words in a text. */
function marked(text, words) {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "giu");
  return text.split(pattern).map((part, number) => (number % 2 ? element("mark", part) : part));
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** Open the dialog on the buttons and on `/`, Ctrl-K or ⌘K. */
export function search(dialog, root, buttons) {
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("ol");
  const status = dialog.querySelector(".status");
  let index;
  let loading;

  async function load() {
    try {
      const answer = await fetch(new URL("search.json", root));
      index = indexed((await answer.json()).items);
    } catch {
      status.textContent = "The search could not be loaded. Reload the page to try again.";
    }
  }
  const open = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    loading ??= load().then(show);
  };
  function show() {
    if (!index) return;
    const { words, asked = [], found } = best(index, input.value);
    list.replaceChildren(...found.map((item) => {
      const link = element("a", element("strong", ...marked(item.title, asked)), " ", element("small", item.path.filter((part) => part !== item.title).join(" / ")), element("span", ...marked(extract(item, asked), asked)));
      link.href = new URL(item.location, root);
      return element("li", link);
    }));
    const nothing = words.length > 0 && found.length === 0;
    status.textContent = nothing ? `Nothing matches “${input.value.trim()}”. Try another word, or fewer.` : words.length ? "" : "Type what you are looking for, such as pagination or error codes.";
  }

  for (const button of buttons) button.addEventListener("click", open);
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
  input.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey)) {
      event.preventDefault();
      open();
    } else if (dialog.open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const links = [...list.querySelectorAll("a")];
      const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
      (links[next] ?? (next < 0 ? input : links.at(-1)) ?? input).focus();
    } else if (event.key === "Enter" && document.activeElement === input) {
      event.preventDefault();
      list.querySelector("a")?.click();
    }
  });
}
