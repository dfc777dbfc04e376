/** Asks for an API key and, if the server has sessions, a session token. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { MOUNT } from "../api/client";
import { currentCredentials, signIn } from "../api/credentials";
import { config } from "../api/queries";
import { T } from "../texts";
import { Button, Labelled } from "../ui";
import logo from "../../../tableapi/openapi/docs/logo.svg";

export function SignIn({ error }: { error: Error | null }) {
  const client = useQueryClient();
  const settings = useQuery(config());
  const before = currentCredentials();
  const [typedKey, setKey] = useState<string | null>(null);
  const [session, setSession] = useState("");
  const appKey = settings.data?.appkey ?? "";
  const key = typedKey ?? (before.key || appKey);
  const wasRejected = before.key !== "" || before.session !== "";

  function submit(event: FormEvent): void {
    event.preventDefault();
    client.clear();
    signIn({ key: key.trim(), session: session.trim() });
  }

  return (
    <main className="alone">
      <form className="card sign-in" onSubmit={submit}>
        <img src={logo} alt="" width={32} height={32} />
        <h1>{T.signIn}</h1>
        <p className="dim">{T.signInHint}</p>
        {wasRejected && <p className="form-error" role="alert">{error?.message ?? T.rejected}</p>}
        <Labelled label={T.apiKey}>
          <input className="input" value={key} onChange={(event) => setKey(event.target.value)} autoComplete="off" spellCheck={false} autoFocus required />
        </Labelled>
        <Labelled label={T.sessionToken} hint={T.sessionHint}>
          <input className="input" type="password" value={session} onChange={(event) => setSession(event.target.value)} autoComplete="off" />
        </Labelled>
        <Button tone="primary" type="submit">{T.signIn}</Button>
        {appKey && <p className="dim">{T.signInApp} <a href={`${MOUNT}/login`}>{T.toApp}</a></p>}
      </form>
    </main>
  );
}
