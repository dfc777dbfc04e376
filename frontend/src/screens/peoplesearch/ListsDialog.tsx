/** Imports people into a list, from pasted addresses or a file with any columns, and saves a list as a file. */
import { Button, Checkbox, FileButton, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { explainExport } from "../../api/exports";
import { LIST_COLUMNS, type ListColumn, type ListForm, type Names, unsplitNames, useExportList, useImportList } from "../../api/listfiles";
import { contactLists } from "../../api/people";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.people";
import classes from "./PeopleSearch.module.css";

const MEANINGS = ["", "linkedinurl", "name", "firstname", "lastname", "company", "tags", "note"] as const;
type Meaning = (typeof MEANINGS)[number];
type Found = NonNullable<ReturnType<typeof useImportList>["data"]>;
// The columns that the server chooses automatically.
const USUAL: ListColumn[] = ["full_name", "title", "company", "country", "email", "phone"];
/** Forms with a first and a last name. */
const SPLIT: ReadonlySet<ListForm> = new Set(["hubspot", "salesforce"]);
const MOST_OPEN = 4;
/** More would not fit into an address. */
const MOST_NAMES = 50;
const FORMS: ListForm[] = ["", "hubspot", "salesforce", "pipedrive"];

/** The columns of a file that the server could not recognize by name. */
function columnsOf(error: unknown): string[] {
  const columns = error instanceof ApiError && error.reason === "mapping_needed" ? (error.context as { columns?: unknown }).columns : undefined;
  return Array.isArray(columns) ? columns.map(String) : [];
}

export default function ListsDialog({ listid: shown, onClose }: { listid: number; onClose: () => void }) {
  const lists = useQuery(contactLists).data?.resource ?? [];
  const [chosen, setChosen] = useState(String(shown));
  const [text, setText] = useState("");
  const [file, setFile] = useState<Chosen | null>(null);
  const [mapping, setMapping] = useState<Record<string, Meaning>>({});
  const [form, setForm] = useState<ListForm>("");
  const [wanted, setWanted] = useState<readonly ListColumn[]>(USUAL);
  const [names, setNames] = useState<Names>({});
  const imports = useImportList();
  const exports = useExportList();
  const listid = Number(chosen || lists[0]?.listid || 0);
  const columns = columnsOf(imports.error);
  const done = imports.data;
  const isMapped = columns.length > 0 || Object.keys(mapping).length > 0;
  const isPreview = imports.variables?.dry_run === true;

  const read = (value: string) => {
    setText(value);
    setFile(null);
    setMapping({});
    imports.reset();
  };
  const bodyOf = (picked: Chosen | null, meanings: Record<string, Meaning> | null) => ({
    listid,
    ...(picked ? { file: picked.data, encoding: picked.encoding } : { text }),
    mapping: meanings,
  });
  /** Shows what the server reads in a file, before anything is imported. */
  const preview = (picked: Chosen, meanings: Record<string, Meaning> | null) => {
    setText("");
    setFile(picked);
    setMapping(meanings ?? {});
    imports.mutate({ ...bodyOf(picked, meanings), dry_run: true });
  };
  const submit = () => imports.mutate(bodyOf(file, isMapped ? mapping : null), { onSuccess: ({ added }) => toast(t("people.imported", { count: added })) });
  const save = (format: "csv" | "xlsx") => exports.mutate({ listid, name: lists.find((list) => list.listid === listid)?.name ?? t("people.list"), form, format, columns: wanted, names });

  return (
    <Dialog opened onClose={onClose} title={t("people.lists")}>
      <div className={classes.dialog}>
        {lists.length > 0 && <NativeSelect label={t("people.list")} data={lists.map((list) => ({ value: String(list.listid), label: list.name }))} value={String(listid)} onChange={(event) => setChosen(event.currentTarget.value)} />}
          <FormAlert text={imports.error && explain(imports.error)} />
          <Textarea label={t("people.importText")} description={t("people.importHint")} rows={file ? 1 : 4} value={text} onChange={(event) => read(event.currentTarget.value)} />
          {columns.map((column) => (
            <Meanings key={column} column={column} value={mapping[column] ?? ""} onChange={(meaning) => setMapping({ ...mapping, [column]: meaning })} />
          ))}
          {file && done && isPreview && <Preview file={file} found={done} onEncoding={(encoding) => preview({ ...file, encoding }, null)} onMapping={(meanings) => preview(file, meanings)} />}
          {done && !isPreview && <p role="status">{t("people.importDone", { added: done.added, present: done.present, duplicates: done.duplicates, missing: done.not_found })}</p>}
          <Group justify="flex-end" wrap="nowrap">
            <FileButton accept=".csv,.tsv,.txt,.xlsx,text/csv,text/plain" onChange={(picked) => void (picked && chosenOf(picked).then((chosen_) => preview(chosen_, null)))}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<Upload size={16} strokeWidth={1.75} aria-hidden="true" />}>
                  {t("people.file")}
                </Button>
              )}
            </FileButton>
            <BusyButton busy={imports.isPending} disabled={listid === 0 || (text.trim() === "" && !file)} onClick={submit}>
              {t("people.import")}
            </BusyButton>
          </Group>
          {lists.length > 0 && (
            <>
              <FormAlert text={exports.error && explainExport(exports.error)} />
              <NativeSelect label={t("people.exportFor")} data={FORMS.map((value) => ({ value, label: t(`people.form.${value || "plain"}`) }))} value={form} onChange={(event) => setForm(event.currentTarget.value as ListForm)} />
              {form === "" && <Columns wanted={wanted} onChange={setWanted} />}
              {SPLIT.has(form) && <Unsplit listid={listid} names={names} onChange={setNames} />}
              <Group justify="flex-end" wrap="nowrap">
                {(["csv", "xlsx"] as const).map((format) => (
                  <BusyButton key={format} variant="default" disabled={form === "" && wanted.length === 0} busy={exports.isPending} leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => save(format)}>
                    {t(`people.as.${format}`)}
                  </BusyButton>
                ))}
              </Group>
            </>
          )}
        </div>
    </Dialog>
  );
}

interface Chosen {
  name: string;
  /** In Base64. */
  data: string;
  /** "" for the server's guess. */
  encoding: string;
}

async function chosenOf(file: File): Promise<Chosen> {
  let binary = "";
  for (const byte of new Uint8Array(await file.arrayBuffer())) binary += String.fromCodePoint(byte);
  return { name: file.name, data: btoa(binary), encoding: "" };
}

const ENCODINGS = ["utf-8", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "utf-16", "mac_roman", "cp932"] as const;
/** Its letters have one encoding. */
const WORKBOOK = /\.xlsx$/i;

interface PreviewProps {
  file: Chosen;
  found: Found;
  onEncoding: (encoding: string) => void;
  onMapping: (mapping: Record<string, Meaning>) => void;
}

/** The first people of a file as the server reads them, what an import would do, and what it guessed. */
function Preview({ file, found, onEncoding, onMapping }: PreviewProps) {
  const used = found.columns.filter((column) => found.mapping[column]);
  const cell = (cells: string[], meaning: Meaning) => cells[found.columns.findIndex((column) => found.mapping[column] === meaning)] ?? "";
  const name = (cells: string[]) => cell(cells, "name") || `${cell(cells, "firstname")} ${cell(cells, "lastname")}`.trim();
  const rest = (cells: string[]) => (used.length > 0 ? [cell(cells, "company"), cell(cells, "tags"), cell(cells, "note")] : []);
  const address = (cells: string[]) => readable(used.length > 0 ? cell(cells, "linkedinurl") : cells.join(" "));
  const counts = { added: found.added, present: found.present, duplicates: found.duplicates, missing: found.not_found };
  return (
    <Stack gap="sm">
      <div role="status">
        <Text fw={500}>{t("people.previewOf", { name: file.name, count: found.total })}</Text>
        <p>
          {(["added", "present", "duplicates", "missing"] as const)
            .filter((kind) => counts[kind] > 0)
            .map((kind) => t(`people.preview.${kind}`, { count: counts[kind] }))
            .join(" ")}
        </p>
      </div>
      <ul className={classes.preview}>
        {found.preview.map((cells) => (
          <li key={cells.join("\t")}>
            <strong>{name(cells)}</strong> {rest(cells).filter(Boolean).join(" · ")} <small>{address(cells)}</small>
          </li>
        ))}
      </ul>
      {found.columns.length > 0 && (
        <details className={classes.chooser}>
          <summary>{t("people.previewColumns", { count: used.length, all: found.columns.length })}</summary>
          <div>
            {found.columns.map((column) => (
              <Meanings key={column} column={column} value={(found.mapping[column] ?? "") as Meaning} onChange={(meaning) => onMapping({ ...(found.mapping as Record<string, Meaning>), [column]: meaning })} />
            ))}
          </div>
        </details>
      )}
      {!WORKBOOK.test(file.name) && (
        <NativeSelect label={t("people.encoding")} data={[...new Set([found.encoding, ...ENCODINGS])].map((value) => ({ value, label: encodingName(value) }))} value={found.encoding} onChange={(event) => onEncoding(event.currentTarget.value)} />
      )}
    </Stack>
  );
}

/** A profile address without its scheme, and with its letters. */
function readable(url: string) {
  const short = url.replace(/^https?:\/\/(www\.)?/, "");
  try {
    return decodeURI(short);
  } catch {
    return short;
  }
}

function encodingName(encoding: string) {
  const known = ENCODINGS.find((one) => one === encoding);
  return known ? t(`people.encodings.${known}`) : encoding;
}

/** The meaning of a column. */
function Meanings({ column, value, onChange }: { column: string; value: Meaning; onChange: (meaning: Meaning) => void }) {
  return (
    <NativeSelect
      label={column}
      data={MEANINGS.map((meaning) => ({ value: meaning, label: t(`people.meaning.${meaning || "none"}`) }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Meaning)}
    />
  );
}

/** Names that have no clear first and last name, for a decision: these programs identify people by the last one. */
function Unsplit({ listid, names, onChange }: { listid: number; names: Names; onChange: (names: Names) => void }) {
  const found = useQuery(unsplitNames(listid)).data?.resource ?? [];
  if (found.length === 0) return null;
  return (
    <details className={classes.chooser} open={found.length < MOST_OPEN}>
      <summary>{t("people.unsplit", { count: found.length })}</summary>
      <div>
        {found.slice(0, MOST_NAMES).map(({ full_name, firstname, lastname }) => {
          const [first, last] = names[full_name] ?? [firstname, lastname];
          return (
            <fieldset key={full_name} className={classes.unsplit}>
              <legend>{full_name}</legend>
              <TextInput label={t("people.column.firstname")} value={first} maxLength={100} onChange={(event) => onChange({ ...names, [full_name]: [event.currentTarget.value, last] })} />
              <TextInput label={t("people.column.lastname")} value={last} maxLength={100} error={last.trim() === "" && t("people.lastnameNeeded")} onChange={(event) => onChange({ ...names, [full_name]: [first, event.currentTarget.value] })} />
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}

/** The columns of a spreadsheet, in the order of the file. */
function Columns({ wanted, onChange }: { wanted: readonly ListColumn[]; onChange: (columns: readonly ListColumn[]) => void }) {
  return (
    <details className={classes.chooser}>
      <summary>{t("people.exportColumns", { count: wanted.length })}</summary>
      <div>
        {LIST_COLUMNS.map((column) => (
          <Checkbox
            key={column}
            label={t(`people.column.${column}`)}
            checked={wanted.includes(column)}
            onChange={({ currentTarget: { checked } }) => onChange(LIST_COLUMNS.filter((one) => (one === column ? checked : wanted.includes(one))))}
          />
        ))}
      </div>
    </details>
  );
}
