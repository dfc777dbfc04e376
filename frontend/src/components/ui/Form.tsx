/** A form with its fields in a column. The browser neither checks nor sends it. */
import { Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

interface Props {
  gap?: "sm" | "md";
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => unknown;
  children: ReactNode;
}

export function Form({ gap = "md", onSubmit, children }: Props) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}
