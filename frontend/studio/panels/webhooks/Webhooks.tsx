/** The webhooks of a database: their state, the last attempts, a test and the replay of events. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { RotateCcw, Send } from "lucide-react";
import { toast } from "../../../shared/toasts";
import { ask, segment } from "../../api/client";
import { webhooks } from "../../api/queries";
import type { Attempt, WebhookState } from "../../api/types";
import { hrefOf } from "../../lib/address";
import { shown } from "../../lib/format";
import { T } from "../../texts";
import { Button, Dialog, Labelled, Problem, State, Waiting } from "../../ui";

// Attempts follow a change within a second.
const AGAIN_MS = 5000;

export default function Webhooks({ dataset }: { dataset: string }) {
  const all = useQuery({ ...webhooks(dataset), refetchInterval: AGAIN_MS });
  if (all.isPending) return <Waiting />;
  if (all.isError) return <Problem isPage error={all.error} retry={() => void all.refetch()} />;
  return (
    <section className="overview" aria-label={T.webhooks}>
      <div className="overview-head">
        <h1>{T.webhooks}</h1>
        <p className="dim">{T.webhooksHint}</p>
      </div>
      {all.data.length === 0 && <State title={T.webhooksNone} hint={T.webhooksNoneHint} />}
      <div className="hooks">{all.data.map((hook) => <Hook key={hook.name} dataset={dataset} hook={hook} />)}</div>
    </section>
  );
}

function Hook({ dataset, hook }: { dataset: string; hook: WebhookState }) {
  const client = useQueryClient();
  const [isReplaying, setReplaying] = useState(false);
  const path = `${segment(dataset)}/_webhooks/${segment(hook.name)}`;
  const again = (): Promise<void> => client.invalidateQueries({ queryKey: ["webhooks", dataset] });
  const test = useMutation({
    mutationFn: async () => (await ask<{ delivered: boolean } & Attempt>(`${path}/test`, { method: "POST" })).data,
    onSuccess: (result) => {
      if (result.delivered) toast(T.testDelivered(result.status ?? 0, result.milliseconds ?? 0));
      else toast(T.testFailed(result.error || String(result.status)), "bad");
      return again();
    },
    onError: (error) => toast(error.message, "bad"),
  });
  const replay = useMutation({
    mutationFn: async (body: Record<string, string>) => (await ask<{ queued: number }>(`${path}/replay`, { method: "POST", body })).data.queued,
    onSuccess: (queued) => {
      toast(T.replayed(queued));
      setReplaying(false);
      return again();
    },
    onError: (error) => toast(error.message, "bad"),
  });

  return (
    <article className="hook">
      <div className="hook-head">
        <h2>{hook.name}</h2>
        <span className={`hook-state ${hook.state}`}>{T.hookStates[hook.state]}</span>
        <div className="spring" />
        <Button icon={Send} disabled={test.isPending} onClick={() => test.mutate()}>{T.sendTest}</Button>
        <Button icon={RotateCcw} onClick={() => setReplaying(true)}>{T.replay}</Button>
      </div>
      <p className="hook-url mono">{hook.url}</p>
      <dl className="hook-facts">
        <div><dt>{T.hookTable}</dt><dd><a href={hrefOf(dataset, hook.table)}>{hook.table}</a></dd></div>
        <div><dt>{T.hookOn}</dt><dd>{hook.on.join(", ")}</dd></div>
        {hook.filter && <div><dt>{T.filter}</dt><dd className="mono">{hook.filter}</dd></div>}
        <div><dt>{T.hookWaiting}</dt><dd>{(hook.pending ?? 0).toLocaleString("en")}</dd></div>
        <div><dt>{T.hookGivenUp}</dt><dd>{(hook.failed ?? 0).toLocaleString("en")}</dd></div>
      </dl>
      {hook.error && <p className="form-error">{hook.error}</p>}
      {hook.attempts.length === 0 ? <p className="dim">{T.noAttempts}</p> : <Attempts attempts={hook.attempts} isBusy={replay.isPending} onReplay={(id) => replay.mutate({ id })} />}
      {isReplaying && <Replay hook={hook} isBusy={replay.isPending} onSend={(since) => replay.mutate({ since })} onClose={() => setReplaying(false)} />}
    </article>
  );
}

const isGood = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

function Attempts({ attempts, isBusy, onReplay }: { attempts: Attempt[]; isBusy: boolean; onReplay: (id: string) => void }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
    <div className="hook-log" role="region" aria-label={T.attempts} tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr><th scope="col">{T.attemptAt}</th><th scope="col">{T.attemptEvent}</th><th scope="col">{T.attemptKey}</th><th scope="col">{T.attemptResult}</th><th scope="col" className="right">{T.attemptTime}</th><th scope="col"><span className="visually-hidden">{T.replay}</span></th></tr>
        </thead>
        <tbody>
          {attempts.map((attempt, index) => (
            <tr key={`${attempt.id} ${index}`}>
              <td className="nowrap">{new Date(attempt.tried ?? attempt.at).toLocaleString("en")}</td>
              <td>{attempt.type}</td>
              <td className="mono">{Object.values(attempt.key ?? {}).map(shown).join(", ") || "–"}</td>
              <td><span className={isGood(attempt) ? "hook-good" : "hook-bad"}>{attempt.status ?? attempt.error}</span>{attempt.status !== null && attempt.error && <> {attempt.error}</>}</td>
              <td className="right">{attempt.milliseconds === null ? "–" : `${attempt.milliseconds} ms`}</td>
              <td className="right"><Button tone="ghost" icon={RotateCcw} aria-label={T.replayOne(attempt.id)} title={T.replay} disabled={isBusy} onClick={() => onReplay(attempt.id)} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Replay({ hook, isBusy, onSend, onClose }: { hook: WebhookState; isBusy: boolean; onSend: (since: string) => void; onClose: () => void }) {
  const [since, setSince] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    onSend(new Date(since).toISOString());
  }
  return (
    <Dialog title={T.replayTitle(hook.name)} onClose={onClose}>
      <form className="hook-replay" onSubmit={submit}>
        <p className="dim">{T.replayHint}</p>
        <Labelled label={T.replaySince}>
          <input className="input" type="datetime-local" value={since} onChange={(event) => setSince(event.target.value)} required />
        </Labelled>
        <div className="actions">
          <Button tone="primary" type="submit" disabled={isBusy}>{T.replay}</Button>
          <Button onClick={onClose}>{T.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
