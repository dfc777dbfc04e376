/** A program or its output in a monospaced font on a dark background, with a copy button.

 `code`   the text; quoted parts are highlighted
 `head`   at the start of the line above: a title, or a language switch
 `copy`   name of the copy button; without a name there is none
 `label`  the name of the text for a screen reader, which hears every change of it
*/
import { Box, Button, Group } from "@mantine/core";
import { Copy } from "lucide-react";
import type { ReactNode } from "react";
import { copyText } from "../../../shared/clipboard";
import classes from "./Code.module.css";

interface Props {
  code: string;
  head?: ReactNode;
  copy?: string;
  onCopied?: () => void;
  label?: string;
}

const QUOTED = /("(?:[^"\\]|\\.)*")/;

export function Code({ code, head, copy, onCopied, label }: Props) {
  return (
    <div className={classes.code}>
      {(head || copy) && (
        <Group justify="space-between" gap="var(--s-1) var(--s-3)" className={classes.head}>
          <Box component="span" c="var(--on-sidebar-dim)" fz="sm" fw="var(--fw-500)" lh="sm">{head}</Box>
          {copy && (
            <Button
              size="compact-sm"
              variant="subtle"
              className={classes.copy}
              leftSection={<Copy size={14} strokeWidth={1.75} aria-hidden="true" />}
              onClick={() => void copyText(code).then(onCopied)}
            >
              {copy}
            </Button>
          )}
        </Group>
      )}
      <pre className={classes.text} {...(label && { role: "status", "aria-label": label })}>
        {code.split(QUOTED).map((part, index) => (index % 2 === 1 ? <span key={index}>{part}</span> : part))}
      </pre>
    </div>
  );
}
