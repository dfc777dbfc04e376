/** The profile of the signed-in user: saving, picture, change of the e-mail address. */
import { useQueryClient } from "@tanstack/react-query";
import { tokenReplaced } from "../stores/session";
import { account } from "./account";
import { call } from "./client";
import { useMutation } from "./mutation";
import { renewing } from "./renewal";
import { runScript } from "./scripts";
import { tablePath } from "./tables";
import type { List } from "./types";

/** Saves profile fields of the user; the server stores company fields with the company. */
export function useSaveProfile() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (record: object) => call("PATCH", tablePath("appuser"), { body: { resource: [record] } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: account.queryKey }),
  });
}

/** Sets the avatar: a file to upload, or the address of a picture uploaded before. null removes the avatar. */
export function useSaveAvatar(appuserid: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (picture: File | string | null) => {
      const avatar = picture instanceof File ? await upload(picture) : picture;
      await call("PATCH", tablePath("appuser"), { body: { resource: [{ appuserid, avatar }] } });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: account.queryKey }),
  });
}

async function upload(file: File): Promise<string> {
  const body = new FormData();
  body.append("files", file);
  const answer = await call<List<{ name: string; path: string }>>("POST", "userimage", { body });
  return answer.resource[0]!.path;
}

interface NewEmail {
  newemail: string;
  code: string;
  afid?: string | number | undefined;
}

/** Confirms a new address with the mailed code. The session continues under a new token. */
async function updateEmail(input: NewEmail): Promise<void> {
  const { session_token } = await runScript("emailupdate", { type: "update", ...input });
  tokenReplaced(session_token, input.newemail);
}

/** `onChanged` runs even when the form has been unmounted. */
export function useUpdateEmail(onChanged: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: NewEmail) => renewing(() => updateEmail(input)),
    onSuccess: (_, { newemail }) => {
      queries.setQueryData(account.queryKey, (old) => old && { ...old, email: newemail });
      onChanged();
      return queries.invalidateQueries({ queryKey: account.queryKey });
    },
  });
}
