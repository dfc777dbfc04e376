/** Which tables this tab follows at the moment: their lists need not be asked for again and again. */
const followed = new Set<string>();

export const isFollowed = (table: string): boolean => followed.has(table);

export function setFollowed(table: string, isOpen: boolean): void {
  if (isOpen) followed.add(table);
  else followed.delete(table);
}
