/** The tables and views of a database, with a search; thousands stay fast, because only visible lines are drawn. */
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Eye, Search, Table2 } from "lucide-react";
import { tables } from "../api/queries";
import type { TableLine } from "../api/types";
import { go, hrefOf } from "../lib/address";
import { T, compact } from "../texts";
import { ICON, Problem, Waiting } from "../ui";

const LINE = 40;

const textOf = ({ name, description }: TableLine): string => `${name} ${description ?? ""}`.toLowerCase();

export function matching(all: readonly TableLine[], search: string): TableLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((table) => words.every((word) => textOf(table).includes(word)));
  const first = words[0] ?? "";
  // Names that begin with the text come first.
  return first ? found.toSorted((a, b) => Number(b.name.toLowerCase().startsWith(first)) - Number(a.name.toLowerCase().startsWith(first))) : found;
}

export function TableList({ dataset, current, onChosen }: { dataset: string; current: string; onChosen: () => void }) {
  const all = useQuery(tables(dataset));
  const [search, setSearch] = useState("");
  const found = useMemo(() => matching(all.data ?? [], search), [all.data, search]);
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- it is not memoised by a compiler here
  const lines = useVirtualizer({ count: found.length, getScrollElement: () => scroller.current, estimateSize: () => LINE, overscan: 12 });

  const place = found.findIndex(({ name }) => name === current);
  useEffect(() => {
    if (place >= 0) lines.scrollToIndex(place);
  }, [lines, place]);

  function choose(table: TableLine): void {
    go(hrefOf(dataset, table.name));
    onChosen();
  }

  return (
    <nav className="tables" aria-label={T.tables}>
      <label className="search">
        <Search {...ICON} />
        <input
          id="find-table"
          type="search"
          placeholder={T.findTable}
          aria-label={T.findTable}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            const [only] = found;
            if (event.key === "Enter" && only) choose(only);
            if (event.key === "Escape") setSearch("");
          }}
        />
      </label>
      {all.isPending && <Waiting />}
      {all.isError && <Problem error={all.error} retry={() => void all.refetch()} />}
      {all.isSuccess && found.length === 0 && <p className="dim pad">{all.data.length === 0 ? T.nothingHere : T.noTables}</p>}
      <div className="tables-scroll" ref={scroller}>
        <ul style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map(({ index, start }) => {
            const table = found[index]!;
            return (
              <li key={table.name} style={{ transform: `translateY(${start}px)` }}>
                <a
                  href={hrefOf(dataset, table.name)}
                  aria-current={table.name === current ? "page" : undefined}
                  title={table.description ?? table.name}
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey) return;
                    event.preventDefault();
                    choose(table);
                  }}
                >
                  {table.is_view ? <Eye {...ICON} /> : <Table2 {...ICON} />}
                  <span className="tables-name">{table.name}</span>
                  {table.rows !== null && <span className="tables-rows" title={T.aboutRows(table.rows)}>{compact(table.rows)}</span>}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </nav>
  );
}
