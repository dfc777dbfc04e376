/** Writes a spreadsheet and hands it to the browser. The writer is fetched when it is first needed.

 Every cell is text, so that nothing in them can act as a formula. */
import { sheetName } from "./sheet";

const WIDTH = 32;

/** The first line is the heading. */
export async function writeSheet(file: string, name: string, lines: string[][]): Promise<void> {
  const { default: writeFile } = await import("write-excel-file/browser");
  const cells = lines.map((line, index) => line.map((value) => ({ value, type: String, ...(index === 0 && { fontWeight: "bold" as const }) })));
  const columns = (lines[0] ?? []).map(() => ({ width: WIDTH }));
  await writeFile(cells, { columns, sheet: sheetName(name) }).toFile(file);
}
