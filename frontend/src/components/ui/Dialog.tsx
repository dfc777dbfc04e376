/** A dialog that returns the focus to its opener, even if it is open when first rendered (the library's dialog does
 not handle that). If the opener no longer exists, as with a deleted row, the screen gets the focus. */
import { Modal, type ModalProps } from "@mantine/core";
import { type FormEvent, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { t } from "../../lib/i18n";

interface Props extends ModalProps {
  /** The element to focus afterwards instead of the previous one, e.g. the button of a menu. */
  focusAfter?: RefObject<HTMLElement | null> | undefined;
}

export function Dialog({ focusAfter, ...props }: Props) {
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (props.opened) opener.current = document.activeElement;
  }, [props.opened]);

  // Removed together with its container, such as the last row of a list.
  useEffect(() => () => giveBack(opener.current), []);
  return (
    <Modal
      closeButtonProps={{ "aria-label": t("close") }}
      onSubmit={stop}
      onReset={stop}
      {...props}
      returnFocus={false}
      onExitTransitionEnd={() => giveBack(focusAfter?.current ?? opener.current)}
    />
  );
}

/** React passes events on to the parents in the tree of components: a form round this dialog would be submitted too. */
function stop(event: FormEvent): void {
  event.stopPropagation();
}

function giveBack(target: Element | null): void {
  const now = document.activeElement;
  // A new screen, or a field of it, may have taken the focus by then.
  if (now && now !== document.body && !now.closest("[role=dialog]")) return;
  if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus({ preventScroll: true });
  else document.getElementById("content")?.focus({ preventScroll: true });
}
