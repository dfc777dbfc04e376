/** Choose the columns of the grid and their order. */
import { ArrowLeft, ArrowRight, Columns3 } from "lucide-react";
import type { TableInfo } from "../api/types";
import { setColumns } from "../grid/columns";
import type { Listing } from "../lib/listing";
import { T } from "../texts";
import { Button, Popover } from "../ui";

export function ColumnsMenu({ info, listing }: { info: TableInfo; listing: Listing }) {
  const names = listing.columns.map(({ field }) => field.name);
  const others = info.field.map(({ name }) => name).filter((name) => !names.includes(name));
  const badge = others.length > 0 ? `${names.length}/${info.field.length}` : "";

  function toggle(name: string): void {
    const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
    if (next.length > 0) setColumns(next);
  }

  function move(index: number, by: number): void {
    const next = [...names];
    const [name] = next.splice(index, 1);
    if (name !== undefined) next.splice(index + by, 0, name);
    setColumns(next);
  }

  return (
    <Popover label={T.columns} icon={Columns3} badge={badge}>
      {() => (
        <>
          <ul className="menu-list">
            {[...names, ...others].map((name, index) => (
              <li key={name} className="menu-check">
                <label>
                  <input type="checkbox" checked={index < names.length} onChange={() => toggle(name)} />
                  <span>{name}</span>
                </label>
                {index < names.length && (
                  <>
                    <Button tone="ghost" icon={ArrowLeft} aria-label={T.columnUp(name)} disabled={index === 0} onClick={() => move(index, -1)} />
                    <Button tone="ghost" icon={ArrowRight} aria-label={T.columnDown(name)} disabled={index === names.length - 1} onClick={() => move(index, 1)} />
                  </>
                )}
              </li>
            ))}
          </ul>
          <Button tone="ghost" onClick={() => setColumns(null)}>{T.showAll}</Button>
        </>
      )}
    </Popover>
  );
}
