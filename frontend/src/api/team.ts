/** The users of the owner's account: list, invite, enable, disable, delete. */
import { useScript } from "./scripts";
import { rows, useTableDelete, useTableWrite } from "./tables";
import type { User } from "./types";

const TOUCHED = ["appuser", "account"];

export const team = rows("appuser", { filter: "(isdeleted=0)", order: "createdon DESC", include_count: true });

export const useAddMember = () => useTableWrite<User>("appuser", { method: "POST", touches: TOUCHED });
export const useToggleMember = () => useTableWrite("appuser", { method: "PATCH", touches: TOUCHED });
export const useDeleteMember = () => useTableDelete("appuser", { touches: TOUCHED });
export const useResendInvite = () => useScript("sendappuserinviteemail");
