/** A button that stays focused while `busy`, when presses are ignored. A disabled button would lose the keyboard focus. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef } from "react";

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> & { busy: boolean | undefined };

export function BusyButton({ busy, disabled, ...props }: Props) {
  return (
    <Button
      {...props}
      disabled={disabled}
      loading={busy}
      renderRoot={({ onClick, ...root }) => (
        <button
          {...root}
          disabled={disabled}
          aria-disabled={busy || undefined}
          // Enter in a field of the form comes as a click as well.
          onClick={busy ? (event) => event.preventDefault() : onClick}
        />
      )}
    />
  );
}
