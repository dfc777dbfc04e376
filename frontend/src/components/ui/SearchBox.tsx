/** A field that searches while its user types, and follows the address when that changes otherwise. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useState } from "react";

interface Props extends Pick<TextInputProps, "className" | "w"> {
  label: string;
  placeholder?: string;
  text: string;
  /** Milliseconds after the last key. */
  delay: number;
  onSearch: (text: string) => void;
}

export function SearchBox({ label, placeholder = label, text, delay, onSearch, ...place }: Props) {
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  const [sent, setSent] = useState(text);
  const search = useDebouncedCallback((value: string) => {
    setSent(value);
    onSearch(value);
  }, delay);
  // Back, or Clear search, changed the address; the last sent text may be older than the typed one.
  if (text !== shown) {
    setShown(text);
    if (text !== sent) {
      setSent(text);
      setTyped(text);
    }
  }
  return (
    <TextInput
      {...place}
      size="sm"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} strokeWidth={1.75} aria-hidden="true" />}
      value={typed}
      maxLength={100}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}
