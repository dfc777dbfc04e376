/** Packs the browser extension into dist/extension.zip: one folder, as Chrome loads it unpacked. */
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";

const FROM = new URL("../extension", import.meta.url).pathname;
const TO = new URL("../dist/extension.zip", import.meta.url).pathname;
const FOLDER = "contact-collector";
// The same files give the same zip.
const MADE = new Date("2026-01-01T00:00:00");

const names = (await readdir(FROM)).filter((name) => !name.endsWith(".test.ts")).toSorted();
const entries = await Promise.all(names.map(async (name) => [`${FOLDER}/${name}`, [await readFile(join(FROM, name)), { mtime: MADE }]]));
const zip = zipSync(Object.fromEntries(entries), { level: 9 });
await writeFile(TO, zip);
console.log(`packed ${names.length} files of the extension, ${(zip.length / 1000).toFixed(1)} kB`);
