/** Opens the result for typed or pasted text: the card of one profile, the price of many, or the people with a name. */
import { useCallback } from "react";
import { useNavigate } from "react-router";
import { isComing, profileHost } from "./config";
import { leftOut, readAsk } from "../domain/ask";

/** Returns false if the text matches nothing. */
export function useAsk(): (text: string) => boolean {
  const navigate = useNavigate();
  return useCallback((text) => {
    const ask = readAsk(text, profileHost());
    if (ask.kind === "nothing") return false;
    if (ask.kind === "profile") void navigate(`/dashboard/main/search?url=${encodeURIComponent(ask.url)}`);
    if (ask.kind === "profiles") void navigate("/dashboard/main/bulklookup", { state: { urls: ask.urls, left: leftOut(text, profileHost()) } });
    if (ask.kind === "name") void navigate(nameSearch(ask.text));
    return true;
  }, [navigate]);
}

/** Where names are searched: in the directory or, if that is not available, in the user's own list. */
export const nameSearch = (name: string): string =>
  isComing("peoplesearch") ? `/dashboard/main/mycontacts?search=${encodeURIComponent(name)}` : `/dashboard/main/peoplesearch?name=${encodeURIComponent(name)}`;
