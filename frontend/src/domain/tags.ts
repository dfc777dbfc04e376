/** Tags as they are typed, separated by commas. Pure. */

const MOST = 20;
const LONGEST = 40;

/** Every tag once, without blanks around it. */
export const tagsOf = (text: string): string[] => [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];

export const areTags = (tags: readonly string[]): boolean => tags.length <= MOST && tags.every((tag) => tag.length <= LONGEST);
