/** A page for the outcome of an action: icon, title, text, facts, at most two actions.

 `tone`     "good", "bad" (read out at once) or "waiting"
 `icon`     a Lucide icon of 24
 `facts`    `[term, value]` pairs: what was paid, until when
 `actions`  one primary and one secondary button
 `children` below the actions: what can be done next
*/
import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Outcome.module.css";

interface Props {
  tone: "good" | "bad" | "waiting";
  icon: ReactNode;
  title: ReactNode;
  text?: ReactNode;
  facts?: readonly (readonly [term: string, value: ReactNode])[];
  actions?: ReactNode;
  children?: ReactNode;
}

export function Outcome({ tone, icon, title, text, facts = [], actions, children }: Props) {
  return (
    <section className={classes.outcome} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <span className={classes.icon}>{icon}</span>
      <h1>{title}</h1>
      {text && <div className={classes.text}>{text}</div>}
      {facts.length > 0 && (
        <dl className={classes.facts}>
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {actions && <Group align="stretch" justify="center" gap="xs" className={classes.actions}>{actions}</Group>}
      {children && <div className={classes.next}>{children}</div>}
    </section>
  );
}
