/** Which record is open: `<table>/<identifier>` in the address; without an identifier, a new record is being created.
 */

export interface Place {
  table: string;
  id: string;
}

export function readPlace(text: string): Place {
  const [table = "", id = ""] = text.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { table, id };
}

export const placeOf = (table: string, id: string): string => `${encodeURIComponent(table)}/${encodeURIComponent(id)}`;
