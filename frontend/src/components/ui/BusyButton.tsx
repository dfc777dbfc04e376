/** A button that sends something. It stays focused while `busy`, when presses are ignored: a disabled button would lose
 the keyboard focus. The second click of a double click is ignored too, because the first may be answered by then. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef } from "react";

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> & { busy?: boolean | undefined };

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
          // Enter in a form field also triggers a click.
          onClick={(event) => (busy || event.detail > 1 ? event.preventDefault() : onClick?.(event))}
        />
      )}
    />
  );
}
