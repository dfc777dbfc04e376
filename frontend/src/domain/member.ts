/** The status of a team member, and the actions that apply to it. Pure. */

interface Member {
  role: string;
  isactive: number;
  isdeleted: number;
  invitestatus: string | null;
}

export type Status = "sent" | "enabled" | "disabled" | "deleted";

export function statusOf({ isdeleted, invitestatus, isactive }: Member): Status {
  if (isdeleted) return "deleted";
  if (invitestatus === "pending") return "sent";
  return isactive ? "enabled" : "disabled";
}

const isSeat = (member: Member): boolean => member.role !== "client" && !member.isdeleted;

export const canToggle = (member: Member): boolean => isSeat(member) && member.invitestatus === "accepted";
export const canDelete = isSeat;
export const canResend = (member: Member): boolean => isSeat(member) && statusOf(member) === "sent";

/** The owner is shown as Admin. */
export const isAdmin = ({ role }: Pick<Member, "role">): boolean => role === "client" || role === "admin";
