/** A screen: its window title, one h1, a lead, actions at the end of the head, and what is below.

 `title`    h1 and title of the window; `heading` replaces the h1 alone
 `lead`     one sentence below the h1
 `back`     a link above the h1: `{ to, text }`
 `actions`  buttons beside the h1; at most one of them is primary
 `width`    "list" up to 1600 (default), "form" 720, "doc" 680
*/
import type { ReactNode } from "react";
import { BackLink } from "../BackLink";
import { Title } from "../Title";
import classes from "./Page.module.css";

interface Props {
  title: string;
  heading?: ReactNode;
  lead?: ReactNode;
  back?: { to: string; text: string };
  actions?: ReactNode;
  width?: "list" | "form" | "doc";
  children?: ReactNode;
}

export function Page({ title, heading = title, lead, back, actions, width = "list", children }: Props) {
  return (
    <div className={classes.page} data-width={width}>
      <Title text={title} />
      <header className={classes.head} role="presentation">
        {back && <BackLink to={back.to}>{back.text}</BackLink>}
        <h1>{heading}</h1>
        {lead && <div className={classes.lead}>{lead}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
