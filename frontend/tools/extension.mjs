/** Packs the browser extension into dist/extension.zip: one folder, as Chrome loads it unpacked. */
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { build } from "vite";

const FROM = new URL("../extension", import.meta.url).pathname;
const TO = new URL("../dist/extension.zip", import.meta.url).pathname;
const FOLDER = "openlead";
// The same files produce the same zip.
const MADE = new Date("2026-01-01T00:00:00");

// The rules for grouping phone numbers; a file of the package, too large to copy.
const PHONES = new URL("../node_modules/libphonenumber-js/bundle/libphonenumber-min.js", import.meta.url).pathname;

// The errors of the server in other languages, from the texts of the app.
const { output } = (
  await build({
    configFile: false,
    logLevel: "warn",
    build: { write: false, lib: { entry: new URL("errortexts.ts", import.meta.url).pathname, formats: ["es"] } },
  })
)[0];
const texts = Buffer.from(output[0].code);

const names = (await readdir(FROM)).filter((name) => !name.endsWith(".test.ts")).toSorted();
const files = [...names.map((name) => [name, join(FROM, name)]), ["phones.js", PHONES]];
const entries = await Promise.all(files.map(async ([name, from]) => [`${FOLDER}/${name}`, [await readFile(from), { mtime: MADE }]]));
entries.push([`${FOLDER}/errortexts.js`, [texts, { mtime: MADE }]]);
const zip = zipSync(Object.fromEntries(entries), { level: 9 });
await writeFile(TO, zip);
console.log(`packed ${entries.length} files of the extension, ${(zip.length / 1000).toFixed(1)} kB`);
