/** A whole number. Whatever is typed stays as it is: what is no number is refused in words, never changed. */
import { TextInput, type TextInputProps } from "@mantine/core";

export function CountInput(props: TextInputProps) {
  return <TextInput inputMode="numeric" autoComplete="off" maxLength={20} {...props} />;
}
