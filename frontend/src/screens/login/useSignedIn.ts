/** Leads from a sign-in to the requested screen, in the language of the account. */
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { account } from "../../api/account";
import type { Account } from "../../api/types";
import { adoptLanguage } from "../../lib/language";
import { wayIn } from "./outcome";

export function useSignedIn() {
  const navigate = useNavigate();
  const { state } = useLocation();
  const queries = useQueryClient();
  return (me: Account) => {
    const path = wayIn(state, me);
    // Texts are read when scripts are loaded, so another language requires a reload.
    if (adoptLanguage(me.language)) return window.location.replace(path);
    queries.setQueryData(account.queryKey, me);
    return navigate(path, { replace: true });
  };
}
