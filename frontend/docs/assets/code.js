// Code blocks: a button that copies, the same request in Python and JavaScript beside curl, and a button that sends it.
import { requests } from "./curl.js";
import { LANGUAGES, programs } from "./samples.js";

const LOCAL = /\b(?:localhost|127\.0\.0\.1):8000\b/g;
const NAMES = { sh: "Shell", json: "JSON", python: "Python", js: "JavaScript", ts: "TypeScript", sql: "SQL", ini: "Settings", text: "Output", yaml: "YAML", html: "HTML", toml: "TOML", http: "HTTP" };

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** Return this server's address, datasets and application key; null when the pages are plain files. */
async function server(root) {
  try {
    const mount = new URL("..", root);
    const answer = await fetch(new URL("api/v2/config", mount));
    if (!answer.ok) return null;
    const { appkey = "", datasets = [] } = await answer.json();
    return { mount: mount.href.replace(/\/$/, ""), key: sessionStorage.getItem("key") || appkey, token: sessionStorage.getItem("token") ?? "", datasets };
  } catch {
    return null;
  }
}

/** Whether a request can be sent to this server: a read of one of its datasets, or a call that concerns no dataset. */
function runnable(request, { datasets }) {
  if (Object.values(request.headers).some((value) => /YOUR_|\$/.test(value))) return false;
  const name = /^https?:\/\/[^/]*\/api\/v2\/([^/?]+)(\/_)?/.exec(request.url);
  return request.method === "GET" && name !== null && (name[2] === undefined || datasets.includes(name[1]));
}

export async function blocks(all, root) {
  const prepared = [...all].map((block) => ({ block, bar: bar(block) }));
  const here = await server(root);
  for (const { block, bar: head } of prepared) {
    const pre = block.querySelector("pre");
    if (!/\blanguage-sh\b/.test(block.className)) continue;
    const found = requests(pre.textContent);
    if (!found) continue;
    translate(block, head, pre, found);
    if (here && found.every((request) => runnable(request, here))) run(block, head, found, here);
  }
}

function bar(block) {
  const language = /language-(\w+)/.exec(block.className)?.[1] ?? "";
  const file = block.querySelector(".filename");
  const copy = element("button", { type: "button", class: "plain", "aria-label": "Copy the code" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText((block.querySelector("pre:not([hidden])") ?? block).textContent.trimEnd());
    copy.textContent = "Copied";
    setTimeout(() => copy.replaceChildren("Copy"), 1500);
  });
  const head = element("div", { class: "bar" }, element("span", { class: "name" }, file?.textContent ?? NAMES[language] ?? language), copy);
  file?.remove();
  block.prepend(head);
  return head;
}

/** Add language tabs to the head of a block. The choice applies to all pages. */
function translate(block, head, pre, found) {
  const texts = programs(found);
  const tabs = element("div", { class: "tabs-of", role: "tablist", "aria-label": "Language" });
  const panes = { curl: pre };
  for (const language of LANGUAGES.slice(1)) {
    panes[language] = element("pre", { hidden: "", tabindex: "0" }, element("code", {}, texts[language]));
    block.append(panes[language]);
  }
  const choose = (chosen) => {
    for (const tab of tabs.children) {
      const selected = tab.textContent === chosen;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      panes[tab.textContent].hidden = !selected;
    }
  };
  for (const language of LANGUAGES) {
    const tab = element("button", { type: "button", class: "tab", role: "tab" }, language);
    tab.addEventListener("click", () => {
      localStorage.setItem("docs.language", language);
      document.dispatchEvent(new CustomEvent("language", { detail: language }));
    });
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs.children[(LANGUAGES.indexOf(language) + step + LANGUAGES.length) % LANGUAGES.length];
      next.click();
      next.focus();
    });
    tabs.append(tab);
  }
  document.addEventListener("language", ({ detail }) => choose(detail));
  head.querySelector(".name").replaceWith(tabs);
  const kept = localStorage.getItem("docs.language");
  choose(LANGUAGES.includes(kept) ? kept : "curl");
}

/** Add a button to the head of a block that sends its requests to this server and shows the responses. */
function run(block, head, found, here) {
  const button = element("button", { type: "button", class: "plain" }, "Run");
  const output = element("pre", { class: "answer", role: "status" });
  button.addEventListener("click", async () => {
    button.disabled = true;
    output.replaceChildren("…");
    block.after(output);
    const answers = [];
    for (const { method, url, headers, body } of found) {
      const own = { ...(here.key ? { "X-API-Key": here.key } : {}), ...(here.token ? { "X-Session-Token": here.token } : {}) };
      try {
        const answer = await fetch(url.replace(LOCAL, new URL(here.mount).host).replace(/^https?:\/\/[^/]+/, here.mount), { method, body, headers: { ...own, ...headers } });
        const text = await answer.text();
        answers.push(`${answer.status} ${answer.ok ? "" : "rejected "}\n${/^[[{]/.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : text}`);
      } catch (error) {
        answers.push(String(error));
      }
    }
    output.replaceChildren(answers.join("\n\n"));
    output.tabIndex = 0;
    button.disabled = false;
  });
  head.insertBefore(button, head.lastElementChild);
}
