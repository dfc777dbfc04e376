/** A dialog that gives the focus back to what opened it, also when it is drawn open from its first moment (the one of the
 library then does not look). Where that control is gone by then, as with a deleted row, the screen itself gets it. */
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

  // Gone with all that was round it: with the last row of a list.
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
