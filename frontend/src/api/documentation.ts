/** Searches the documentation with its own index and search code. */
import { queryOptions } from "@tanstack/react-query";

interface Section {
  /** Address below /docs/. */
  location: string;
  title: string;
  path: string[];
}

interface Search {
  indexed: (items: unknown[]) => Section[];
  best: (index: Section[], text: string) => { found: Section[] };
}

const SCRIPT = "/docs/assets/search.js";
const INDEX = "/docs/search.json";

/** Finds sections for a text; nothing where no documentation is served. */
export const documentation = queryOptions({
  queryKey: ["documentation"],
  queryFn: async ({ signal }): Promise<(text: string) => Section[]> => {
    const answer = await fetch(INDEX, { signal });
    if (!answer.ok) return () => [];
    const [{ items }, { indexed, best }] = await Promise.all([answer.json() as Promise<{ items: unknown[] }>, import(/* @vite-ignore */ SCRIPT) as Promise<Search>]);
    const index = indexed(items);
    return (text) => best(index, text).found;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
