// The documentation site: menu, colour scheme, search, and code blocks that can be copied, translated and run.
import { blocks } from "./code.js";
import { search } from "./search.js";

const $ = (selector) => document.querySelector(selector);
/** The address of the site's start page. */
const ROOT = new URL(document.body.dataset.base.replace(/\/?$/, "/"), location.href);

/* The menu on narrow screens */
const menu = $(".menu");
const contents = $(".contents");
const toggle = (open) => {
  contents.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
};
menu.addEventListener("click", () => toggle(menu.getAttribute("aria-expanded") !== "true"));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && contents?.classList.contains("open")) {
    toggle(false);
    menu.focus();
  }
});
contents?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "center" });
window.scrollTo(0, location.hash ? window.scrollY : 0);

/* The scheme, in the cookie that the app also reads */
const scheme = () => document.documentElement.dataset.mantineColorScheme;
$(".scheme").addEventListener("click", () => {
  const next = scheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.mantineColorScheme = next;
  document.cookie = `theme=${next}; path=/; max-age=31536000; samesite=lax`;
});

/* The current heading in the table of contents */
const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
if (links.size) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-72px 0px -70% 0px" },
  );
  for (const heading of document.querySelectorAll("h2[id]")) seen.observe(heading);
}

/* Scrollable regions can be reached by keyboard */
for (const region of document.querySelectorAll(".table, pre")) {
  if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
}

search($("dialog.search"), ROOT, [...document.querySelectorAll(".find, [data-search]")]);
blocks(document.querySelectorAll(".highlight"), ROOT);
