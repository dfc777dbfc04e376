/** Why a request is rejected, or what a role may do with a record: the rule, its rows and columns, as reported by the
 server. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, type SentRequest, ask } from "../api/client";
import { T } from "../texts";
import { Button, Dialog, Labelled, Waiting } from "../ui";

interface Told {
  role: string;
  allowed: boolean | null;
  why: string;
  rule?: string;
  rows?: string;
  not_readable?: string[];
  not_writable?: string[];
  refusal?: { status: number; reason: string; field?: string };
  hook?: string;
}

// The separators between the words of a header.
const SEPARATORS = /[,;\r\n]/g;
const FORBIDDEN = [403, 404];

/** The message of a failed request, and a link to the explanation if rights may be the reason. */
export function RequestError({ message, error, id }: { message: string; error: unknown; id?: string }) {
  const [request, setRequest] = useState<SentRequest | null>(null);
  const wire = error instanceof ApiError && FORBIDDEN.includes(error.status) ? error.request : undefined;
  return (
    <>
      <p className="form-error" role="alert" id={id}>{message}</p>
      {wire && <Button tone="ghost" className="why-button" onClick={() => setRequest(wire)}>{T.whyNot}</Button>}
      {request && <Why requests={{ [request.method]: request }} onClose={() => setRequest(null)} />}
    </>
  );
}

/** `requests` by their method; with several, one is chosen. */
export function Why({ requests, onClose }: { requests: Record<string, SentRequest>; onClose: () => void }) {
  const methods = Object.keys(requests);
  const [method, setMethod] = useState(methods[0]!);
  const [role, setRole] = useState("");
  const [values, setValues] = useState("");
  const [asked, setAsked] = useState("explain=rights");
  const { path, params, body } = requests[method]!;
  const answer = useQuery({
    queryKey: ["why", method, path, params, body, asked],
    queryFn: async ({ signal }) => (await ask<Told>(path, { method, params, body, headers: { Prefer: asked }, signal })).data,
    retry: false,
    gcTime: 0,
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const pairs = values.split(/[,;\s]+/).filter((pair) => pair.includes("="));
    setAsked(["explain=rights", ...(role.trim() ? [`role=${role.trim().replaceAll(SEPARATORS, " ")}`] : []), ...pairs].join("; "));
  }
  return (
    <Dialog title={T.whyTitle} onClose={onClose}>
      <form className="why" onSubmit={submit}>
        {methods.length > 1 && (
          <Labelled label={T.whyAction}>
            <select className="input" value={method} onChange={(event) => setMethod(event.target.value)}>
              {methods.map((name) => <option key={name} value={name}>{T.whyVerbs[name] ?? name}</option>)}
            </select>
          </Labelled>
        )}
        <Labelled label={T.whyRole}>
          <input className="input" value={role} placeholder={T.whyOwn} onChange={(event) => setRole(event.target.value)} autoComplete="off" spellCheck={false} />
        </Labelled>
        <Labelled label={T.whyUser}>
          <input className="input" value={values} placeholder="user.id=8" onChange={(event) => setValues(event.target.value)} autoComplete="off" spellCheck={false} />
        </Labelled>
        <Button type="submit">{T.whyAsk}</Button>
      </form>
      <div aria-live="polite">
        {answer.isPending && <Waiting />}
        {answer.isError && <p className="form-error">{answer.error.message}</p>}
        {answer.data && <Answer told={answer.data} />}
      </div>
    </Dialog>
  );
}

function Answer({ told }: { told: Told }) {
  const { allowed, why, rule, rows, not_readable: unread, not_writable: fixed, refusal, hook } = told;
  return (
    <>
      <p className="why-said"><strong>{allowed === null ? T.whyDepends : allowed ? T.whyAllowed : T.whyRejected}</strong> {why}</p>
      <dl className="why-facts">
        <Fact term={T.whyRule}>{rule && <code>{rule}</code>}</Fact>
        <Fact term={T.whyRows}>{rows && <code>{rows}</code>}</Fact>
        <Fact term={T.whyField}>{refusal?.field && <code>{refusal.field}</code>}</Fact>
        <Fact term={T.whyFixed}>{fixed?.join(", ")}</Fact>
        <Fact term={T.whyUnread}>{unread?.join(", ")}</Fact>
        <Fact term={T.whyHook}>{hook}</Fact>
      </dl>
    </>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  );
}
