/** The users of the owner's account: list, invite, enable, disable, delete. */
import { STALE } from "./keys";
import { useScript } from "./scripts";
import { rows, useTableDelete, useTableWrite } from "./tables";
import type { User } from "./types";

export const team = rows("appuser", { filter: "(isdeleted=0)", order: "createdon DESC", include_count: true });

export const useAddMember = () => useTableWrite<User>("appuser", { method: "POST", stale: STALE.team });
export const useToggleMember = () => useTableWrite("appuser", { method: "PATCH", stale: STALE.team });
export const useDeleteMember = () => useTableDelete("appuser", { stale: STALE.team });
export const useResendInvite = () => useScript("sendappuserinviteemail");
