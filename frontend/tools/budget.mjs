/** Adds up the scripts that a screen needs at its first load, gzipped, and fails when a budget is passed. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist", import.meta.url).pathname;
const ENTRY = "index.html";

const BUDGETS = [
  { name: "login", limit: 170, chunks: ["src/screens/login/LoginScreen.tsx"] },
  {
    name: "dashboard",
    limit: 230,
    chunks: ["src/app/layout/Dashboard.tsx", "src/screens/dashboardmain/DashboardMainScreen.tsx"],
  },
  { name: "search", limit: 300, chunks: ["src/app/layout/Dashboard.tsx", "src/screens/search/SearchScreen.tsx", "src/api/fieldcrypto.ts"] },
  { name: "mycontacts", limit: 300, chunks: ["src/app/layout/Dashboard.tsx", "src/screens/mycontacts/MyContactsScreen.tsx", "src/api/fieldcrypto.ts"] },
];

const manifest = JSON.parse(readFileSync(join(DIST, ".vite/manifest.json"), "utf8"));

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
  const keys = new Set([ENTRY, ...chunks].flatMap((key) => [...closure(key)]));
  const bytes = [...keys].reduce((sum, key) => sum + gzipped(manifest[key].file), 0);
  const fits = bytes <= limit * 1000;
  passed &&= fits;
  console.log(`${fits ? "ok  " : "OVER"} ${name.padEnd(12)} ${kB(bytes)} of ${limit} kB`);
}

const html = readFileSync(join(DIST, ENTRY), "utf8");
if (/<script(?![^>]*\bsrc=)/.test(html) || statSync(join(DIST, ENTRY)).size === 0) {
  console.log("OVER index.html holds an inline script");
  passed = false;
}
process.exit(passed ? 0 : 1);
