/** A field for the code of an authenticator app. Phones offer a number pad, and password managers fill it in. */
import { TextInput, type TextInputProps } from "@mantine/core";

/** Six digits, and spaces between them; recovery codes are longer. */
const LONGEST = 20;

export function CodeInput({ recovery = false, ...props }: TextInputProps & { recovery?: boolean }) {
  return (
    <TextInput
      {...props}
      maxLength={LONGEST}
      inputMode={recovery ? "text" : "numeric"}
      autoComplete={recovery ? "off" : "one-time-code"}
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}
