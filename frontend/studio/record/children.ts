/** The records related to a record, and their number. */
import { queryOptions } from "@tanstack/react-query";
import { ask, recordPath } from "../api/client";
import type { Relation, Row, TableInfo } from "../api/types";
import { nameOf, quoted } from "../filter/tree";
import { shown } from "../lib/format";

// A request has at most twenty fields through relations.
const MAX_COUNTED = 20;

/** The relations to records that refer to this one, directly or through an intermediate table. */
export const children = (info: TableInfo): Relation[] => info.related.filter(({ type }) => type !== "belongs_to");

/** The column or junction that distinguishes a relation from others to the same table; null if there are none. */
export function distinction(relation: Relation, related: Relation[]): string | null {
  const others = related.filter(({ name, ref_table }) => name !== relation.name && ref_table === relation.ref_table);
  if (others.length === 0) return null;
  const junction = relation.junction_table;
  if (!junction) return relation.ref_field;
  return others.some(({ junction_table }) => junction_table === junction) ? `${junction}.${relation.junction_ref_field}` : junction;
}

export const childCounts = (dataset: string, info: TableInfo, id: string) =>
  queryOptions({
    queryKey: ["record", dataset, info.name, id, "counts"],
    queryFn: async (): Promise<Record<string, number>> => {
      const counted = children(info).slice(0, MAX_COUNTED);
      if (counted.length === 0) return {};
      const fields = counted.map(({ name }, index) => `${nameOf(name)}.COUNT(*) AS n${index}`).join(",");
      const { data } = await ask<Row>(recordPath(dataset, info.name, id), { params: { fields } });
      return Object.fromEntries(counted.map(({ name }, index) => [name, Number(data[`n${index}`] ?? 0)]));
    },
  });

/** The filter that finds the records of a relation in their own table; null if one column cannot express it. */
export function childFilter(relation: Relation, row: Row): string | null {
  if (relation.type === "many_many") return null;
  const own = relation.field.split(",");
  const theirs = relation.ref_field.split(",");
  return theirs.map((name, index) => `${nameOf(name)} = ${quoted(shown(row[own[index] ?? ""]))}`).join(" AND ");
}
