/** A button that keeps the focus while its work is under way: a disabled one would lose it to the page, and whoever uses
 the keyboard would begin at the top again. In: `busy`, and all that a button takes. A press while busy does nothing. */
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
