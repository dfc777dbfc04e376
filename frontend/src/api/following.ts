/** The tables this tab follows with a stream; their lists need no polling. */
const followed = new Set<string>();

export const isFollowed = (table: string): boolean => followed.has(table);

export function setFollowed(table: string, isOpen: boolean): void {
  if (isOpen) followed.add(table);
  else followed.delete(table);
}
