/**
 * Download the filtered rows. CSV, JSON and NDJSON have every row; Excel files come from the server, which limits
 * them.
 */
import { useState } from "react";
import { Download } from "lucide-react";
import { saveFile } from "../../shared/savefile";
import { toast } from "../../shared/toasts";
import { type Params, send, tablePath } from "../api/client";
import { readJson, writeJson } from "../api/json";
import type { TableInfo } from "../api/types";
import { T } from "../texts";
import { Button, Popover } from "../ui";

type Format = "CSV" | "JSON" | "NDJSON" | "xlsx";
const XLSX_ROWS = 1000;

async function download(dataset: string, info: TableInfo, request: Params, format: Format): Promise<void> {
  const path = tablePath(dataset, info.name);
  const name = `${info.name}.${format.toLowerCase()}`;
  if (format === "xlsx") {
    saveFile(await (await send(path, { params: { ...request, limit: XLSX_ROWS, file: name } })).blob(), name);
    return;
  }
  // Rows without a key cannot be paged, so only one page is exported.
  const stream = info.primary_key.length > 0;
  const response = await send(path, { params: stream ? request : { ...request, limit: XLSX_ROWS, wrap: false }, headers: { Accept: stream ? "application/x-ndjson" : "application/json" } });
  const text = await response.text();
  const lines = stream ? text : (readJson(text) as unknown[]).map((row) => writeJson(row)).join("\n");
  if (format === "NDJSON") saveFile(new Blob([lines]), name);
  else if (format === "JSON") saveFile(new Blob([`[${lines.trimEnd().replaceAll("\n", ",\n")}]\n`], { type: "application/json" }), name);
  else {
    const { csvOfLines } = await import("./import/files");
    saveFile(new Blob([csvOfLines(lines)], { type: "text/csv" }), name);
  }
}

export function ExportMenu({ dataset, info, request, isSelection = false }: { dataset: string; info: TableInfo; request: Params; isSelection?: boolean }) {
  const [isBusy, setBusy] = useState(false);

  async function start(format: Format): Promise<void> {
    setBusy(true);
    try {
      await download(dataset, info, request, format);
    } catch (error) {
      toast(error instanceof Error ? error.message : T.failed, "bad");
    } finally {
      setBusy(false);
    }
  }

  return (
    <Popover label={T.export} icon={Download}>
      {(close) => (
        <ul className="menu-list">
          {(["CSV", "JSON", "NDJSON"] as const).map((format) => (
            <li key={format}><Button tone="ghost" disabled={isBusy} onClick={() => { void start(format); close(); }}>{isSelection ? T.exportSelected(format) : T.exportAll(format)}</Button></li>
          ))}
          <li><Button tone="ghost" disabled={isBusy} onClick={() => { void start("xlsx"); close(); }}>{isSelection ? T.exportSelected("Excel") : T.exportXlsx}</Button></li>
        </ul>
      )}
    </Popover>
  );
}
