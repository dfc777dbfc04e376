/** A whole number. Input is never changed: an error message rejects anything that is not a number. */
import { TextInput, type TextInputProps } from "@mantine/core";

export function CountInput(props: TextInputProps) {
  return <TextInput inputMode="numeric" autoComplete="off" maxLength={20} {...props} />;
}
