/** Import lines: read them, map the columns, check all lines, then write the valid ones. */
import { useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { FileUp } from "lucide-react";
import { toast } from "../../../shared/toasts";
import { written } from "../../api/queries";
import type { TableInfo } from "../../api/types";
import { T } from "../../texts";
import { Button, Dialog, ICON, Labelled } from "../../ui";
import { type Checked, type Mapping, linesOf, mapped, sendLines } from "./batches";
import { type Sheet, readCsv, readFile } from "./files";

const MAX_SHOWN_BAD = 200;

/** The name of a column, which a narrow window breaks after an underscore rather than inside a word. */
function Breakable({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((part, at) => <Fragment key={at}>{part}<wbr /></Fragment>);
}

export default function Import({ dataset, info, onClose }: { dataset: string; info: TableInfo; onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [mapping, setMapping] = useState<Mapping>([]);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  function take(next: Sheet): void {
    setProblem(next.lines.length === 0 ? T.importNoLines : null);
    setChecked(null);
    if (next.lines.length === 0) return;
    setSheet(next);
    setMapping(mapped(next.head, info.field));
  }

  async function choose(files: FileList | null): Promise<void> {
    const [file] = files ?? [];
    if (!file) return;
    try {
      take(await readFile(file));
    } catch {
      setProblem(T.importBadFile);
    }
  }

  async function send(lines: Checked["good"], isTrial: boolean): Promise<Checked | null> {
    setProblem(null);
    setProgress({ done: 0, of: lines.length });
    try {
      return await sendLines({ dataset, table: info.name, lines, isTrial, onProgress: (done) => setProgress({ done, of: lines.length }) });
    } catch (error) {
      setProblem((error as Error).message);
      return null;
    } finally {
      setProgress(null);
    }
  }

  async function check(): Promise<void> {
    if (!sheet) return;
    const read = linesOf(sheet, mapping, info.field);
    const tried = await send(read.good, true);
    if (tried) setChecked({ good: tried.good, bad: [...read.bad, ...tried.bad].toSorted((a, b) => a.line - b.line) });
  }

  async function write(): Promise<void> {
    const wrote = checked && (await send(checked.good, false));
    if (!wrote) return;
    await written(client, dataset);
    toast(T.importDone(wrote.good.length));
    // Some lines fail only now, such as a second one with the same key.
    if (wrote.bad.length > 0) setChecked({ good: [], bad: wrote.bad });
    else onClose();
  }

  return (
    <Dialog title={T.importTitle(info.name)} onClose={onClose} className="wide">
      {!sheet && (
        <>
          <Labelled label={T.importPaste}>
            <textarea className="input mono" rows={8} value={text} onChange={(event) => setText(event.target.value)} spellCheck={false} />
          </Labelled>
          <FileField onFiles={(files) => void choose(files)} />
          <div className="actions"><Button tone="primary" disabled={!text.trim()} onClick={() => take(readCsv(text))}>{T.importRead}</Button></div>
        </>
      )}
      {sheet && (
        <>
          <h3>{T.importMap}</h3>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
          <div className="mapping-scroll" tabIndex={0} role="region" aria-label={T.importMap}>
            <table className="plain-table">
              <thead><tr><th scope="col">{T.importColumn}</th><th scope="col">{T.value}</th><th scope="col">{T.column}</th></tr></thead>
              <tbody>
                {sheet.head.map((name, index) => (
                  <tr key={index}>
                    <th scope="row"><Breakable name={name} /></th>
                    <td className="dim">{sheet.lines[0]?.[index]}</td>
                    <td>
                      <select
                        className="input small"
                        aria-label={`${T.column}: ${name}`}
                        value={mapping[index] ?? ""}
                        onChange={(event) => {
                          setMapping(mapping.map((old, at) => (at === index ? event.target.value || null : old)));
                          setChecked(null);
                        }}
                      >
                        <option value="">{T.importSkip}</option>
                        {info.field.filter(({ create }) => create).map((field) => <option key={field.name}>{field.name}</option>)}
                      </select>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="dim">{T.importLines(sheet.lines.length)}</p>
        </>
      )}
      {progress && <progress className="progress" aria-label={T.importProgress} value={progress.done} max={Math.max(1, progress.of)} />}
      {problem && <p className="form-error" role="alert">{problem}</p>}
      {checked && <Result checked={checked} />}
      {sheet && (
        <div className="actions">
          {!checked && <Button tone="primary" disabled={progress !== null || mapping.every((name) => name === null)} onClick={() => void check()}>{T.importTry}</Button>}
          {checked && checked.good.length > 0 && <Button tone="primary" disabled={progress !== null} onClick={() => void write()}>{T.importWrite(checked.good.length)}</Button>}
          <Button onClick={() => { setSheet(null); setChecked(null); }}>{T.back}</Button>
        </div>
      )}
    </Dialog>
  );
}

/** Takes a file that is chosen or dropped: the input lies over its label. */
function FileField({ onFiles }: { onFiles: (files: FileList | null) => void }) {
  return (
    <label className="drop">
      <FileUp {...ICON} />
      <span>{T.importFile}</span>
      <input type="file" accept=".csv,.tsv,.txt,.xlsx" onChange={(event) => onFiles(event.target.files)} />
    </label>
  );
}

function Result({ checked: { good, bad } }: { checked: Checked }) {
  return (
    <div role="status">
      {good.length > 0 && <p>{T.importGood(good.length)}</p>}
      {bad.length > 0 && (
        <>
          <p className="form-error">{T.importBad(bad.length)}</p>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
          <div className="mapping-scroll" tabIndex={0} role="region" aria-label={T.importBad(bad.length)}>
            <table className="plain-table">
              <thead><tr><th scope="col" className="right">{T.importLine}</th><th scope="col">{T.importReason}</th></tr></thead>
              <tbody>
                {bad.slice(0, MAX_SHOWN_BAD).map(({ line, reason }) => <tr key={line}><th scope="row" className="right">{line}</th><td>{reason}</td></tr>)}
              </tbody>
            </table>
          </div>
        </>
      )}
    </div>
  );
}
