/** The records that belong to this one: a heading for each relation, and the records of the open one. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChevronDown, ChevronUp, Table2 } from "lucide-react";
import { ask, recordPath } from "../api/client";
import { tableInfo } from "../api/queries";
import type { Relation, Row, TableInfo } from "../api/types";
import { nameOf } from "../filter/tree";
import { change, go, hrefOf } from "../lib/address";
import { idOf, labelField, labelOf, shown } from "../lib/format";
import { T } from "../texts";
import { Button, ICON, Problem, Waiting } from "../ui";
import { placeOf } from "./place";
import { childCounts, childFilter, children, distinction } from "./children";

interface Props {
  dataset: string;
  info: TableInfo;
  id: string;
  row: Row;
}

const SHOWN = 10;

export function Relations({ dataset, info, id, row }: Props) {
  const related = children(info);
  const counts = useQuery(childCounts(dataset, info, id));
  const [open, setOpen] = useState<string | null>(null);
  if (related.length === 0) return null;
  const shownRelation = related.find(({ name }) => name === open);
  return (
    <section className="relations" aria-label={T.relations}>
      <h3>{T.relations}</h3>
      <div className="relation-heads">
        {related.map((relation) => {
          const isOpen = open === relation.name;
          const count = counts.data?.[relation.name];
          const detail = distinction(relation, related);
          return (
            <button type="button" key={relation.name} className="relation-head" aria-expanded={isOpen} title={relation.junction_table ?? relation.ref_field} onClick={() => setOpen(isOpen ? null : relation.name)}>
              <span>{relation.ref_table}</span>
              {detail && <span className="dim">{detail}</span>}
              {count !== undefined && <span className="badge">{count.toLocaleString("en")}</span>}
              {isOpen ? <ChevronUp {...ICON} /> : <ChevronDown {...ICON} />}
            </button>
          );
        })}
      </div>
      {shownRelation && <Children key={shownRelation.name} dataset={dataset} info={info} id={id} row={row} relation={shownRelation} />}
    </section>
  );
}

function Children({ dataset, info, id, row, relation }: Props & { relation: Relation }) {
  const target = useQuery(tableInfo(dataset, relation.ref_table));
  const rows = useQuery({
    queryKey: ["record", dataset, info.name, id, "related", relation.name],
    queryFn: async () => {
      const params = { fields: info.primary_key.map(nameOf).join(","), related: relation.name, [`${relation.name}.limit`]: SHOWN };
      const related = (await ask<Row>(recordPath(dataset, info.name, id), { params })).data[relation.name];
      return (Array.isArray(related) ? related : related ? [related] : []) as Row[];
    },
  });
  const filter = childFilter(relation, row);
  if (rows.isError) return <Problem error={rows.error} retry={() => void rows.refetch()} />;
  if (rows.isPending || !target.data) return <Waiting />;
  const targetInfo = target.data;
  const label = labelField(targetInfo);
  const others = targetInfo.field.filter(({ name, is_primary_key, ref_table }) => name !== label?.name && !is_primary_key && !ref_table).slice(0, 3);
  return (
    <div className="relation-rows">
      {rows.data.length === 0 && <p className="dim">{T.noRelated}</p>}
      <ul>
        {rows.data.map((child, index) => {
          const key = idOf(targetInfo, child);
          return (
            <li key={key ?? index}>
              <button type="button" className="relation-row" disabled={key === null} onClick={() => key !== null && change({ open: placeOf(targetInfo.name, key) })}>
                <strong>{labelOf(targetInfo, child)}</strong>
                <span className="dim">{others.map(({ name }) => shown(child[name])).filter(Boolean).join(" · ")}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {filter && <Button tone="ghost" icon={Table2} onClick={() => go(hrefOf(dataset, targetInfo.name, { filter }))}>{T.openInTable}</Button>}
    </div>
  );
}
