/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import type { OutputBundle, OutputChunk } from "rolldown";
import { type Plugin, defineConfig } from "vite";
import { flags } from "./tools/flags.ts";

const api = process.env.API ?? `http://127.0.0.1:${process.env.PORT ?? 8000}`;
const APP = "/src/main.tsx";
// The letters of every page; other alphabets are loaded when a text has them.
const FONT = /instrument-sans-latin-wght-normal/;

// What the first script needs to send its requests and to make the first formats, and nothing else.
const EARLY = /vite[\\/]preload-helper|src[\\/](early|api[\\/](config|early|lists|transport)|lib[\\/](language|locale|paging|preferences)|stores[\\/]storedsession)\b/;
// Scripts in few files: what every page needs, what the pages before sign-in need, the dashboard and its
// first screen, the company profile with its countries, what is seldom used (QR codes, two-step sign-in, the proof of
// the user), texts of keys and webhooks, the parts of lists of people, what other screens share, and one file for each screen.
const PACKAGES = /node_modules[\\/](react|react-dom|scheduler|react-router|@tanstack|zustand)[\\/]/;
const LOGIN = /src[\\/](main|screens[\\/](login|forgotpassword|verifyemail|emailverification)[\\/]\w+Screen)\.tsx/;
const DASHBOARD = /src[\\/](app[\\/]layout[\\/](Dashboard|OwnerGate)|screens[\\/]dashboardmain[\\/]DashboardMainScreen)\.tsx/;
const COMPANY = /react-international-phone|CompanyFields|PhoneInput|src[\\/]lib[\\/]phone\./;
const CARD = /src[\\/]screens[\\/]person[\\/](KindField|Value|useReveals)\./;
const DRAWER = /src[\\/]screens[\\/]person[\\/](PersonDrawer|ContactNotes|ContactTags)\./;
const PEOPLE = /src[\\/](screens[\\/](person[\\/](FoundPeople|PeopleTable|PersonCells|usePeople)|peoplesearch[\\/](Filters|TermFilter|SavedSearches|useAsked))|components[\\/]usePicked|domain[\\/](peoplefilter|industry)|lib[\\/]i18n\.people|texts[\\/]en[\\/](people|bulk)|api[\\/]people)\./;
const SELDOM = /node_modules[\\/]uqr|QrCode|CodeInput|twostep\.ts|login[\\/]SecondStep|screens[\\/]proof[\\/]|api[\\/]proof\./;
const KEYS = /i18n\.api|texts[\\/]en[\\/](api|webhooks)\.|CopyKey/;

/** Folders with tests that need no browser. */
const RULES = "domain,lib,stores,texts";

const STYLES = /\s*<link rel="stylesheet"[^>]*>/;

/** Links the scripts of the app and the font in index.html: the first script, which is small, loads them dynamically.
 Moves the styles behind the root element: in the head they would delay the first paint, for which the page has its own. */
function preloadApp(): Plugin {
  return {
    name: "preload-app",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const scripts = appChunks(bundle).map((name) => ({ rel: "modulepreload", crossorigin: true, href: `/${name}` }));
        const fonts = Object.keys(bundle).filter((name) => FONT.test(name)).map((name) => ({ rel: "preload", as: "font", crossorigin: true, href: `/${name}` }));
        const links = [...fonts, ...scripts].filter(({ href }) => !html.includes(href));
        const [styles = ""] = STYLES.exec(html) ?? [];
        return {
          html: html.replace(styles, "").replace("</noscript>", `</noscript>${styles}`),
          tags: links.map((attrs) => ({ tag: "link", attrs, injectTo: "head" as const })),
        };
      },
    },
  };
}

function appChunks(bundle: OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((output): output is OutputChunk => output.type === "chunk");
  const names = new Set<string>();
  const add = (chunk: OutputChunk | undefined): void => {
    if (!chunk || names.has(chunk.fileName)) return;
    names.add(chunk.fileName);
    for (const name of chunk.imports) add(bundle[name] as OutputChunk | undefined);
  };
  add(chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(APP))));
  return [...names];
}

// The server sends a strict policy: no inline script, so no module-preload polyfill and nothing inlined as data.
export default defineConfig({
  plugins: [react(), flags(), preloadApp()],
  server: {
    port: Number(process.env.PAGES_PORT ?? 5173), // PORT is the server's
    proxy: { "/api": api, "/sandbox": api },
  },
  build: {
    target: "es2022",
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "early", test: EARLY, priority: 5 },
            { name: "vendor", test: PACKAGES, priority: 4 },
            { name: "login", test: LOGIN, priority: 3 },
            { name: "company", test: COMPANY, priority: 2, includeDependenciesRecursively: false },
            { name: "seldom", test: SELDOM, priority: 2, includeDependenciesRecursively: false },
            { name: "keys", test: KEYS, priority: 2, includeDependenciesRecursively: false },
            { name: "card", test: CARD, priority: 2, includeDependenciesRecursively: false },
            { name: "drawer", test: DRAWER, priority: 2, includeDependenciesRecursively: false },
            { name: "people", test: PEOPLE, priority: 2, includeDependenciesRecursively: false },
            { name: "dashboard", test: DASHBOARD, priority: 1 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
  test: {
    pool: "threads",
    maxWorkers: "100%", // one processor would be left idle
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 30_000,
    css: { modules: { classNameStrategy: "non-scoped" } },
    // Rules are tested without a browser, which takes half a second to set up. Screens share the modules of their worker:
    // each file would load React and Mantine again, which takes as long as its tests.
    projects: [
      { extends: true, test: { name: "rules", sequence: { groupOrder: 0 }, environment: "node", include: [`src/{${RULES}}/**/*.test.ts`, "shared/**/*.test.ts"] } },
      { extends: true, test: { name: "screens", isolate: false, sequence: { groupOrder: 1 }, environment: "jsdom", setupFiles: ["src/testing/setup.ts"], include: ["{src,studio,extension}/**/*.test.{ts,tsx}"], exclude: [`src/{${RULES}}/**`] } },
    ],
  },
});
