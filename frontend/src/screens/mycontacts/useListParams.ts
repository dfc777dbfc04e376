/** Search text, page and page size, kept in the address. */
import { useSearchParams } from "react-router";
import { type PageSize, pageNumber, pageSize } from "../../lib/paging";

export interface ListParams {
  page: number;
  size: PageSize;
  text: string;
}

export function useListParams(): [ListParams, (change: Partial<ListParams>) => void] {
  const [params, setParams] = useSearchParams();
  const now: ListParams = {
    page: pageNumber(params.get("page")),
    size: pageSize(params.get("size")),
    text: params.get("search") ?? "",
  };

  const change = (part: Partial<ListParams>) =>
    setParams(
      (old) => {
        // From the address as it is now: a debounced search must not bring back an older page.
        const next = { page: pageNumber(old.get("page")), size: pageSize(old.get("size")), text: old.get("search") ?? "", ...part };
        return {
          ...(next.text && { search: next.text }),
          ...(next.page > 1 && { page: String(next.page) }),
          ...(next.size !== 25 && { size: String(next.size) }),
        };
      },
      { replace: part.text !== undefined, preventScrollReset: true },
    );
  return [now, change];
}
