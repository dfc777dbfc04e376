/** Writes a .gz and a .br beside every text file of a folder, if that saves space; for index.html last, since a running
 server takes that as the end of a build. */
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const DIST = resolve(process.argv[2] ?? "dist");
const TEXT = /\.(js|css|html|svg|json|txt)$/;
const SMALLEST = 1024;

const br = (data) => promisify(brotliCompress)(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
const gz = (data) => promisify(gzip)(data, { level: 9 });

async function compress(file) {
  const data = await readFile(file);
  if (data.length < SMALLEST) return 0;
  const [brotli, gzipped] = await Promise.all([br(data), gz(data)]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
  return 1;
}

const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile() && TEXT.test(entry.name) && !entry.parentPath.includes(".vite"));
const paths = files.map((entry) => join(entry.parentPath, entry.name));
const page = join(DIST, "index.html");
const written = await Promise.all(paths.filter((path) => path !== page).map(compress));
written.push(await compress(page));
console.log(`compressed ${written.reduce((sum, count) => sum + count, 0)} of ${files.length} files`);
