// Elements of the page. Texts become text nodes, never HTML.

/** Create an element: h("a", { href: "/" }, "text", child). */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Return text and `code` elements for a text with backquotes. */
export const prose = (text) => text.split("`").map((part, number) => (number % 2 ? h("code", {}, part) : part));

/** Return a table with a head, in a region that scrolls where the table is wider. */
export const tableOf = (names, rows) => h("div", { class: "table", tabindex: "0", role: "region", "aria-label": names.join(", ") },
  h("table", {}, h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows)));

/** Return the first sentence of a summary without its period, and the rest. */
export function sentences(summary) {
  const [, first, rest] = /^(.+?)(?:\.(?:\s+([^]*))?)?$/s.exec(summary.trim()) ?? [];
  return [(first ?? summary).replace(/\s+/g, " "), (rest ?? "").replace(/\s+/g, " ").trim()];
}

/** Return a titled box around code, with a button that copies it, and what else belongs into its head. */
export function codeBox(title, pre, ...extras) {
  const copy = h("button", { type: "button", class: "plain", "aria-label": `Copy: ${title}` }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    copy.textContent = "Copied";
    setTimeout(() => copy.replaceChildren("Copy"), 1500);
  });
  return h("section", { class: "box", "aria-label": title }, h("div", {}, h("span", { class: "title" }, title), ...extras, copy), pre);
}
