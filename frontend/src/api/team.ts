/** The users of the owner's account: list, invite, enable, disable, delete. */
import { STALE } from "./keys";
import { useScript } from "./scripts";
import { patchCached, rows, useTableDelete, useTableWrite } from "./tables";
import type { List, User } from "./types";

export const TEAM = { filter: "(isdeleted=0)", order: "createdon DESC" };

export const team = rows("appuser", { ...TEAM, include_count: true });

export const useAddMember = () => useTableWrite<User>("appuser", { method: "POST", stale: STALE.team });
export const useToggleMember = () =>
  useTableWrite("appuser", {
    method: "PATCH",
    stale: STALE.team,
    ahead: (queries, changes) =>
      patchCached<List<User>>(queries, "appuser", (list) => ({ ...list, resource: list.resource.map((user) => changed(user, changes as Partial<User>[])) })),
  });
export const useDeleteMember = () => useTableDelete("appuser", { stale: STALE.team });
export const useResendInvite = () => useScript("sendappuserinviteemail");

const changed = (user: User, changes: Partial<User>[]): User => ({ ...user, ...changes.find(({ appuserid }) => appuserid === user.appuserid) });
