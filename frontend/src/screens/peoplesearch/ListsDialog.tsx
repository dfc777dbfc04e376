/** Imports people into a list, from pasted addresses or a file with any columns, and saves a list as a file. */
import { Button, Checkbox, FileButton, NativeSelect, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { explainExport } from "../../api/exports";
import { LIST_COLUMNS, type ListColumn, type ListForm, useExportList, useImportList } from "../../api/listfiles";
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
const FORMS: ListForm[] = ["", "hubspot", "salesforce", "pipedrive"];

/** The columns of a file that the server could not recognize by name. */
function columnsOf(error: unknown): string[] {
  const columns = error instanceof ApiError && error.reason === "mapping_needed" ? (error.context as { columns?: unknown }).columns : undefined;
  return Array.isArray(columns) ? columns.map(String) : [];
}

export default function ListsDialog({ onClose }: { onClose: () => void }) {
  const lists = useQuery(contactLists).data?.resource ?? [];
  const [chosen, setChosen] = useState("");
  const [text, setText] = useState("");
  const [file, setFile] = useState<Chosen | null>(null);
  const [mapping, setMapping] = useState<Record<string, Meaning>>({});
  const [form, setForm] = useState<ListForm>("");
  const [wanted, setWanted] = useState<readonly ListColumn[]>(USUAL);
  const imports = useImportList();
  const exports = useExportList();
  const listid = Number(chosen || lists[0]?.listid || 0);
  const columns = columnsOf(imports.error);
  const done = imports.data;
  const isPreview = imports.variables?.dry_run === true;

  const read = (value: string) => {
    setText(value);
    setFile(null);
    setMapping({});
    imports.reset();
  };
  const bodyOf = (picked: Chosen | null) => ({ listid, ...(picked ? { file: picked.data, encoding: picked.encoding } : { text }), mapping: columns.length > 0 ? mapping : null });
  /** Shows what the server reads in a file, before anything is imported. */
  const preview = (picked: Chosen) => {
    setText("");
    setFile(picked);
    setMapping({});
    imports.mutate({ ...bodyOf(picked), mapping: null, dry_run: true });
  };
  const submit = () => imports.mutate(bodyOf(file), { onSuccess: ({ added }) => toast(t("people.imported", { count: added })) });
  const save = (format: "csv" | "xlsx") => exports.mutate({ listid, form, format, columns: wanted });

  return (
    <Dialog opened onClose={onClose} title={t("people.lists")}>
      {lists.length === 0 ? (
        <p>{t("people.noLists")}</p>
      ) : (
        <div className={classes.dialog}>
          <NativeSelect label={t("people.list")} data={lists.map((list) => ({ value: String(list.listid), label: list.name }))} value={String(listid)} onChange={(event) => setChosen(event.currentTarget.value)} />
          <FormAlert text={imports.error && explain(imports.error)} />
          <Textarea label={t("people.importText")} description={t("people.importHint")} rows={4} value={text} onChange={(event) => read(event.currentTarget.value)} />
          {columns.map((column) => (
            <NativeSelect
              key={column}
              label={column}
              data={MEANINGS.map((value) => ({ value, label: t(`people.meaning.${value || "none"}`) }))}
              value={mapping[column] ?? ""}
              onChange={(event) => setMapping({ ...mapping, [column]: event.currentTarget.value as Meaning })}
            />
          ))}
          {file && done && isPreview && <Preview file={file} found={done} onEncoding={(encoding) => preview({ ...file, encoding })} />}
          {done && !isPreview && <p role="status">{t("people.importDone", { added: done.added, present: done.present, duplicates: done.duplicates, missing: done.not_found })}</p>}
          <div className={classes.dialogFoot}>
            <FileButton accept=".csv,.tsv,.txt,.xlsx,text/csv,text/plain" onChange={(picked) => void (picked && chosenOf(picked).then(preview))}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<Upload size={16} strokeWidth={1.75} aria-hidden="true" />}>
                  {t("people.file")}
                </Button>
              )}
            </FileButton>
            <BusyButton busy={imports.isPending} disabled={text.trim() === "" && !file} onClick={submit}>
              {t("people.import")}
            </BusyButton>
          </div>
          <FormAlert text={exports.error && explainExport(exports.error)} />
          <NativeSelect label={t("people.exportFor")} data={FORMS.map((value) => ({ value, label: t(`people.form.${value || "plain"}`) }))} value={form} onChange={(event) => setForm(event.currentTarget.value as ListForm)} />
          {form === "" && <Columns wanted={wanted} onChange={setWanted} />}
          <div className={classes.dialogFoot}>
            {(["csv", "xlsx"] as const).map((format) => (
              <BusyButton key={format} variant="default" disabled={form === "" && wanted.length === 0} busy={exports.isPending} leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => save(format)}>
                {t(`people.as.${format}`)}
              </BusyButton>
            ))}
          </div>
        </div>
      )}
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

const ENCODINGS = ["utf-8", "cp1252", "cp1250", "cp1251", "utf-16-le", "mac_roman", "cp932"];

/** The first rows of a file as the server reads them, and the encoding that it guessed. */
function Preview({ file, found, onEncoding }: { file: Chosen; found: Found; onEncoding: (encoding: string) => void }) {
  return (
    <div role="status">
      <p>{t("people.previewOf", { name: file.name, count: found.total })}</p>
      <NativeSelect label={t("people.encoding")} data={[...new Set([found.encoding, ...ENCODINGS])]} value={found.encoding} onChange={(event) => onEncoding(event.currentTarget.value)} />
      <ul className={classes.preview}>
        {found.preview.map((cells) => (
          <li key={cells.join("\t")}>{cells.filter(Boolean).join(" · ")}</li>
        ))}
      </ul>
    </div>
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
