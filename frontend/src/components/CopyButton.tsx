/** An icon that copies a text. It is a tick for a second afterwards: the toast is far away in a wide window. */
import { ActionIcon } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "../../shared/clipboard";

const SHOWN_MS = 1000;

interface Props {
  text: string;
  label: string;
  onCopied: () => void;
}

export function CopyButton({ text, label, onCopied }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    onCopied();
  };
  const Icon = copied ? Check : Copy;
  return (
    <ActionIcon variant="subtle" color={copied ? "pine" : "gray"} aria-label={label} onClick={() => void copy()}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
    </ActionIcon>
  );
}
