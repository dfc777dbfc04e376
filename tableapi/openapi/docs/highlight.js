// Code as elements: strings, numbers, names and words of a language stand out.
import { h } from "./elements.js";

const WORDS = {
  curl: /^(?:curl|--?[a-zA-Z][\w-]*)$/,
  Python: /^(?:import|from|print|None|True|False)$/,
  JavaScript: /^(?:const|await|if|throw|new|null|true|false)$/,
  JSON: /^(?:null|true|false)$/,
};
const PARTS = /("(?:[^"\\\n]|\\.)*"(?=\s*:)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d+(?:\.\d+)?\b)|((?:--?)?[A-Za-z_$][\w$-]*)/g;

/** Return the nodes of a text in a language: curl, Python, JavaScript or JSON. */
export function highlighted(text, language) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(PARTS)) {
    const [part, string, number] = match;
    const key = string !== undefined && /^\s*:/.test(text.slice(match.index + part.length));
    const kind = string ? (key ? "w-k" : "w-s") : number ? "w-n" : WORDS[language]?.test(part) ? "w-k" : "";
    if (!kind) continue;
    nodes.push(text.slice(from, match.index), h("span", { class: kind }, part));
    from = match.index + part.length;
  }
  return [...nodes, text.slice(from)];
}
