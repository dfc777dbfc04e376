/** The alternative to a file: addresses pasted as lines. */
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { profileHost } from "../../api/config";
import { type LeftOut, fileOf, leftOut, readAsk } from "../../domain/ask";
import { t } from "../../lib/i18n.people";
import classes from "./BulkLookup.module.css";

export function PasteLines({ onFile }: { onFile: (file: File) => void }) {
  const [text, setText] = useState("");
  const ask = readAsk(text, profileHost());
  const urls = ask.kind === "profiles" ? ask.urls : ask.kind === "profile" ? [ask.url] : [];
  return (
    <div className={classes.paste}>
      <Textarea label={t("bulk.paste")} rows={3} value={text} spellCheck={false} autoComplete="off" onChange={(event) => setText(event.currentTarget.value)} />
      {urls.length > 0 && (
        <Button
          variant="default"
          size="sm"
          onClick={() => onFile(fileOf(urls))}
        >
          {t("bulk.takePasted", { count: urls.length })}
        </Button>
      )}
      {urls.length > 0 && <Left left={leftOut(text, profileHost())} />}
      {text.trim() !== "" && urls.length === 0 && <p className={classes.dim}>{t("bulk.noAddress")}</p>}
    </div>
  );
}

/** The lines that are not looked up, and why. */
export function Left({ left: { wrong, doubles } }: { left: LeftOut }) {
  const parts = [wrong > 0 && t("bulk.wrongLines", { count: wrong }), doubles > 0 && t("bulk.doubles", { count: doubles })].filter(Boolean);
  return parts.length > 0 && <p className={classes.dim}>{parts.join(" ")}</p>;
}
