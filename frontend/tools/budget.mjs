/** Adds up the scripts that a screen needs at its first load, gzipped, and fails when a budget is passed. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist", import.meta.url).pathname;
const ENTRY = "index.html";

// Names of chunks (see vite.config.ts) and screens. A cold screen asks for 20 files at most, its data and styles included.
const FIRST = ["early", "login"];
const INSIDE = [...FIRST, "dashboard"];
const MAX_SCRIPTS = 10;
const BUDGETS = [
  { name: "login", limit: 170, chunks: FIRST },
  { name: "dashboard", limit: 230, chunks: INSIDE },
  { name: "search", limit: 300, chunks: [...INSIDE, "SearchScreen"] },
  { name: "mycontacts", limit: 300, chunks: [...INSIDE, "MyContactsScreen"] },
];

const manifest = JSON.parse(readFileSync(join(DIST, ".vite/manifest.json"), "utf8"));

const keyOf = (name) => {
  const key = Object.keys(manifest).find((candidate) => manifest[candidate].name === name);
  if (!key) throw new Error(`There is no chunk ${name}: see codeSplitting in vite.config.ts.`);
  return key;
};

/** Every script that a chunk imports, itself included. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const gzipped = (file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length;
const kB = (bytes) => (bytes / 1000).toFixed(1).padStart(6);

let passed = true;
for (const { name, limit, chunks } of BUDGETS) {
  const keys = new Set(chunks.flatMap((chunk) => [...closure(keyOf(chunk))]));
  const bytes = [...keys].reduce((sum, key) => sum + gzipped(manifest[key].file), 0);
  const fits = bytes <= limit * 1000 && keys.size <= MAX_SCRIPTS;
  passed &&= fits;
  console.log(`${fits ? "ok  " : "OVER"} ${name.padEnd(12)} ${kB(bytes)} of ${limit} kB in ${keys.size} scripts`);
}

// Studio: the scripts of its page, and all of them. Its parts are loaded when they are first used.
const STUDIO = new URL("../../tableapi/studio_site", import.meta.url).pathname;
const STUDIO_LIMITS = { first: 150, all: 350 };
const page = readFileSync(join(STUDIO, ENTRY), "utf8");
const names = readdirSync(join(STUDIO, "assets")).filter((name) => name.endsWith(".js"));
const sizeOf = (name) => gzipSync(readFileSync(join(STUDIO, "assets", name)), { level: 9 }).length;
for (const [part, chosen] of [["first", names.filter((name) => page.includes(name))], ["all", names]]) {
  const bytes = chosen.reduce((sum, name) => sum + sizeOf(name), 0);
  const fits = bytes <= STUDIO_LIMITS[part] * 1000 && chosen.length > 0;
  passed &&= fits;
  console.log(`${fits ? "ok  " : "OVER"} ${`studio ${part}`.padEnd(12)} ${kB(bytes)} of ${STUDIO_LIMITS[part]} kB in ${chosen.length} scripts`);
}

const html = readFileSync(join(DIST, ENTRY), "utf8");
if (/<script(?![^>]*\bsrc=)/.test(html) || statSync(join(DIST, ENTRY)).size === 0) {
  console.log("OVER index.html holds an inline script");
  passed = false;
}
process.exit(passed ? 0 : 1);
