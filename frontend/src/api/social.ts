/** Sign-in with a provider: the window, the code, the ticket, the proof, the session. */
import { answerOf } from "../lib/popup";
import { sessionStarted } from "../stores/session";
import { signInSilently } from "./account";
import { call } from "./client";
import { config } from "./config";
import { ProviderRejected } from "./errors";
import { type SocialProof, runScript } from "./scripts";
import { type NewUser, requireBusinessEmail } from "./signup";
import { tablePath } from "./tables";
import type { Account, List } from "./types";

export type Vendor = "google" | "linkedin";
export type Entered = { action: "login"; account: Account } | { action: "signup"; user: NewUser };

type Entry = { action: "login"; session_token: string } | { action: "signup"; clientdata: { user: NewUser; session_token: string } };

/** Runs the sign-in of a provider in a popup and returns the proof of the identity.

 Throws NotBusiness for a new account with a free address, before the terms are shown. */
export async function proofOf(vendor: Vendor, popup: Window, signal: AbortSignal): Promise<SocialProof> {
  const { url, redirect_uri } = await runScript("socialstart", { provider: vendor });
  const state = new URL(url).searchParams.get("state") ?? "";
  const answer = answerOf(popup, state, signal);
  popup.location.href = url;
  const { code, error } = await answer;
  if (error || !code) throw new ProviderRejected(error);

  const { access_token } = await runScript(`${vendor}_accesstoken`, { code, state, redirect_uri });
  const proof = await runScript(`${vendor}_userdetails`, { access_token });
  if (proof.action === "signup") await requireBusinessEmail(proof.email);
  return proof;
}

/** The session of a user that has proved an identity, without starting it in the app. */
export async function sessionOf({ proof }: SocialProof): Promise<Account> {
  const body = { resource: [{ type: "social", proof }] };
  const { resource } = await call<List<Entry>>("POST", tablePath("client"), { body, anonymous: true });
  const [entry] = resource;
  if (entry?.action !== "login") throw new ProviderRejected("another_account");
  return call<Account>("POST", "user/session", { body: { session_token: entry.session_token }, anonymous: true });
}

/** Signs in with a proof, or signs up. Only a new account needs the terms. */
export async function enterWith({ email, name, socialid, proof }: SocialProof, terms: boolean): Promise<Entered> {
  const record = { email, name, socialid, proof, type: "social", ...(terms && { terms }) };
  const answer = await call<List<Entry>>("POST", tablePath("client"), { body: { resource: [record] }, anonymous: true });
  return entered(answer.resource[0]!);
}

async function entered(entry: Entry): Promise<Entered> {
  if (entry.action === "login") return { action: "login", account: await signInSilently(entry.session_token) };
  const { user, session_token } = entry.clientdata;
  sessionStarted({ apiKey: config().appkey, sessionToken: session_token, emailid: user.email });
  // Sign-up does not depend on the welcome mail.
  await runScript("registration_confirmation", { appuserid: user.appuserid }).catch(() => undefined);
  return { action: "signup", user };
}
