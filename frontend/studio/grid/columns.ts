/** Change the visible columns, their order and their width. The settings are kept in the address. */
import { change, parseAddress } from "../lib/address";
import { MAX_WIDTH, MIN_WIDTH, joined } from "../lib/listing";

export function setColumns(names: readonly string[] | null): void {
  change({ columns: names ? joined(names) : null }, { replace: true });
}

export function setWidth(name: string, width: number): void {
  const { params } = parseAddress(location.hash);
  const others = (params.get("widths") ?? "").split(",").filter((part) => part && decodeURIComponent(part).split(":")[0] !== name);
  const next = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
  change({ widths: [...others, encodeURIComponent(`${name}:${next}`)].join(",") }, { replace: true });
}
