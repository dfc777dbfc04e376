/** A tooltip with the text of an entry, for the collapsed menu. */
import { Tooltip } from "@mantine/core";
import type { ReactElement } from "react";

interface Props {
  label: string;
  collapsed: boolean;
  children: ReactElement;
}

// Rendering a tooltip costs as much as the rest of its entry, so it exists only while the text is hidden.
export function MenuTip({ label, collapsed, children }: Props) {
  if (!collapsed) return children;
  return (
    <Tooltip label={label} position="right">
      {children}
    </Tooltip>
  );
}
