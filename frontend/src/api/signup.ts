/** Registration, password reset and invitations: calls without a confirmed account. */
import { sessionStarted } from "../stores/session";
import { call } from "./client";
import { config } from "./config";
import { ApiError, EmailTaken, NotBusiness } from "./errors";
import { useMutation } from "./mutation";
import { runScript } from "./scripts";
import { literal, tablePath } from "./tables";
import type { List, User } from "./types";

export interface NewUser {
  appuserid: number;
  clientid: number;
  afid: string | number;
  name: string;
  email: string;
  isverified: number;
}

export async function requireBusinessEmail(email: string): Promise<void> {
  const { result } = await runScript("validatedomain", { email });
  if (result.valid !== 1) throw new NotBusiness();
}

export async function requireFreeEmail(email: string): Promise<void> {
  const { result } = await runScript("checkemailexists", { email });
  if (result.available !== 1) throw new EmailTaken();
}

interface Registration {
  email: string;
  name: string;
  password: string;
}

/** Registers an account. Its session is restricted until the address is verified. */
export async function register({ email, name, password }: Registration): Promise<NewUser> {
  const record = { email, name, password, type: "register", terms: true };
  const answer = await call<List<{ clientdata: { user: NewUser; session_token: string } }>>("POST", tablePath("client"), {
    body: { resource: [record] },
    anonymous: true,
  }).catch((error: unknown) => {
    throw error instanceof ApiError && error.reason === "email_exists" ? new EmailTaken() : error;
  });
  const { user, session_token } = answer.resource[0]!.clientdata;
  sessionStarted({ apiKey: config().appkey, sessionToken: session_token, emailid: user.email });
  return user;
}

/** Requests a reset link. The response does not reveal whether the address is known. */
export const useForgot = () =>
  useMutation({
    mutationFn: (email: string) => call("POST", "user/password", { query: { reset: true }, body: { email }, anonymous: true }),
  });

/** Sets a new password with a mailed code. */
export const useReset = () =>
  useMutation({
    mutationFn: (body: { email: string; code: string; new_password: string }) =>
      call("POST", "user/password", { body, anonymous: true }),
  });

type Invited = Pick<User, "appuserid" | "name" | "email" | "isverified" | "invitestatus"> & Partial<Invitation>;

/** The details of an open invitation, as mailed. */
export interface Invitation {
  role: string;
  invitedby: string;
  companyname: string;
}

/** The user of a mailed link, or undefined when the link is wrong or expired. Does not use the link up. */
export async function invitedUser(email: string, code: string, signal?: AbortSignal): Promise<Invited | undefined> {
  const filter = `(email=${literal(email)}) and (verifytoken=${literal(code)})`;
  const answer = await call<List<Invited>>("GET", tablePath("appuser"), { query: { filter }, signal, anonymous: true });
  return answer.resource[0];
}
