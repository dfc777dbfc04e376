/** A whole number. Input is never altered: anything that is not a number is rejected with an error message. */
import { TextInput, type TextInputProps } from "@mantine/core";

export function CountInput(props: TextInputProps) {
  return <TextInput inputMode="numeric" autoComplete="off" maxLength={20} {...props} />;
}
