/** Choose the file and the kinds to reveal; the server returns the price. */
import { Checkbox, Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useLocation } from "react-router";
import type { BulkInput } from "../../api/bulk";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.people";
import { type LeftOut, PASTED, fileOf } from "../../domain/ask";
import { KINDS, type Kind, REVEAL_TYPE } from "../../domain/reveal";
import classes from "./BulkLookup.module.css";
import { DropFile } from "./DropFile";
import { Left, PasteLines } from "./PasteLines";
import { PriceCard } from "./PriceCard";

const LARGEST = 5 * 1024 * 1024;

export function NewJob({ onStart }: { onStart: (jobid: number) => void }) {
  const { urls: pasted, left } = (useLocation().state ?? {}) as { urls?: string[]; left?: LeftOut };
  const [file, setFile] = useState<File | null>(() => (pasted && pasted.length > 0 ? fileOf(pasted) : null));
  const [problem, setProblem] = useState<string | null>(null);
  const [kinds, setKinds] = useState<readonly Kind[]>(KINDS);

  const take = (chosen: File) => {
    const tooLarge = chosen.size > LARGEST;
    setProblem(tooLarge ? t("bulk.tooLarge") : null);
    setFile(tooLarge ? null : chosen);
  };
  const tick = (kind: Kind, on: boolean) => setKinds(KINDS.filter((one) => (one === kind ? on : kinds.includes(one))));
  const input: BulkInput | null = file && kinds.length > 0 ? { file, kinds: kinds.map((kind) => REVEAL_TYPE[kind]) } : null;

  return (
    <Card title={t("bulk.steps")}>
      <ol className={classes.steps}>
        <Step title={t("bulk.stepFile")} done={file !== null}>
          <DropFile file={file} problem={problem} onFile={take} />
          {left && file?.name === PASTED && <Left left={left} />}
          <PasteLines onFile={take} />
        </Step>
        <Step title={t("bulk.kinds")} done={kinds.length > 0}>
          <Group component="fieldset" align="stretch" gap="var(--s-3) var(--s-6)" m={0} p={0} bd={0}>
            <legend className="visually-hidden">{t("bulk.kinds")}</legend>
            {KINDS.map((kind) => (
              <Checkbox
                key={kind}
                label={t(`kind.${kind}`)}
                checked={kinds.includes(kind)}
                onChange={(event) => tick(kind, event.currentTarget.checked)}
              />
            ))}
          </Group>
        </Step>
        <Step title={t("bulk.stepPrice")} done={false}>
          {input ? (
            <PriceCard key={`${input.file.name} ${input.file.lastModified} ${input.kinds.join()}`} input={input} onStart={onStart} />
          ) : (
            <p className={classes.dim}>{t("bulk.priceWaits")}</p>
          )}
        </Step>
      </ol>
    </Card>
  );
}

function Step({ title, done, children }: { title: string; done: boolean; children: ReactNode }) {
  return (
    <li className={classes.step} data-done={done || undefined}>
      <h3>{title}</h3>
      {children}
    </li>
  );
}
