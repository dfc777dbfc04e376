/** Completes the offline page and the service worker in dist: the styles of this build, and a version made from its files. */
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const DIST = new URL("../dist", import.meta.url).pathname;
const FONT = /^instrument-sans-latin-wght-normal.*\.woff2$/;
const read = (name) => readFile(join(DIST, name), "utf8");

const index = await read("index.html");
const [, styles] = index.match(/<link rel="stylesheet"[^>]*href="([^"]+)"/) ?? [];
const [first] = index.match(/<style>.*?<\/style>/s) ?? [];
const font = (await readdir(join(DIST, "assets"))).find((name) => FONT.test(name));
if (!styles || !first || !font) throw new Error("index.html has no styles, or the font is missing");

const page = (await read("offline.html")).replace("<!-- styles -->", `${first}\n    <link rel="stylesheet" href="${styles}" />`);
await writeFile(join(DIST, "offline.html"), page);

const files = ["/offline.html", "/offline.js", "/theme.js", "/logo.svg", styles, `/assets/${font}`];
const contents = await Promise.all(files.map((name) => readFile(join(DIST, name))));
const version = contents.reduce((hash, content) => hash.update(content), createHash("sha256")).digest("hex").slice(0, 12);
const worker = (await read("sw.js")).replace("__VERSION__", version).replace('["__FILES__"]', JSON.stringify(files));
await writeFile(join(DIST, "sw.js"), worker);
console.log(`offline page ${version}, ${files.length} files`);
