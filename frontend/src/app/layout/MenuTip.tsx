/** A tooltip with the text of an entry, for a menu that shows icons alone. */
import { Tooltip } from "@mantine/core";
import type { ReactElement } from "react";

interface Props {
  label: string;
  collapsed: boolean;
  children: ReactElement;
}

// A tooltip costs as much to draw as the rest of its entry, so there is none while the text itself is shown.
export function MenuTip({ label, collapsed, children }: Props) {
  if (!collapsed) return children;
  return (
    <Tooltip label={label} position="right">
      {children}
    </Tooltip>
  );
}
