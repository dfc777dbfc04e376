/** A table that turns its rows into cards in narrow windows. Takes the column headings and a `Table.Tr` for each row,
 with the title of the card in its first cell. */
import { Table } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import classes from "./CardTable.module.css";

interface Props {
  label: string;
  columns: readonly string[];
  minWidth: number;
  className?: string;
  spacing?: "xs" | "sm";
  children: ReactNode;
}

export function CardTable({ label, columns, minWidth, className, spacing = "sm", children }: Props) {
  // The style sheet writes each heading before its cells: no cell has to repeat it.
  const headings = Object.fromEntries(columns.map((text, index) => [`--heading-${index + 1}`, JSON.stringify(text)])) as CSSProperties;
  return (
    <Table.ScrollContainer className={classes.scroll} minWidth={minWidth} tabIndex={0} role="region" aria-label={label}>
      <Table className={`${classes.table} ${className ?? ""}`} verticalSpacing={spacing} style={headings}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
