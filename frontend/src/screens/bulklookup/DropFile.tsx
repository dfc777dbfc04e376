/** A field for one CSV, dropped on it or chosen. The input covers it completely, so the browser handles the drop. */
import { Box, Text } from "@mantine/core";
import { FileSpreadsheet } from "lucide-react";
import { useId, useState } from "react";
import { PASTED } from "../../domain/ask";
import { t } from "../../lib/i18n.people";
import classes from "./BulkLookup.module.css";

const EXAMPLE = "data:text/csv;charset=utf-8,linkedinurl%0Ahttps%3A%2F%2Fwww.linkedin.com%2Fin%2Fjohn-doe%0A";

interface Props {
  file: File | null;
  problem: string | null;
  onFile: (file: File) => void;
}

export function DropFile({ file, problem, onFile }: Props) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div>
      <label htmlFor={id} className={classes.drop} data-over={over || undefined}>
        <FileSpreadsheet size={24} strokeWidth={1.75} aria-hidden="true" />
        <strong>{file ? (file.name === PASTED ? t("bulk.pasted") : file.name) : t("bulk.drop")}</strong>
        <span>{file ? t("bulk.choose") : t("bulk.dropText")}</span>
        <input
          id={id}
          type="file"
          accept=".csv,.tsv,.txt,.xlsx,text/csv,text/plain"
          aria-label={t("bulk.file")}
          className={classes.input}
          onDragEnter={() => setOver(true)}
          onDragLeave={() => setOver(false)}
          onDrop={() => setOver(false)}
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            if (chosen) onFile(chosen);
            // So that the same file can be chosen again after a correction.
            event.currentTarget.value = "";
          }}
        />
      </label>
      {problem && (
        <Text c="red" mt="xs" role="alert">
          {problem}
        </Text>
      )}
      <Box component="a" display="inline-block" mt="xs" c="var(--accent)" fz="sm" lh="sm" href={EXAMPLE} download="bulklookup-example.csv">
        {t("bulk.sample")}
      </Box>
    </div>
  );
}
