/** The frame of a form before sign-in: heading, sentence, what was refused, fields, a line below. */
import type { FormEventHandler, ReactNode } from "react";
import classes from "./AuthForm.module.css";
import { Title } from "./Title";
import { FormAlert } from "./ui/FormAlert";

interface Props {
  title: string;
  lead?: ReactNode;
  alert?: string | null;
  onSubmit?: FormEventHandler<HTMLFormElement>;
  children?: ReactNode;
  foot?: ReactNode;
}

export function AuthForm({ title, lead, alert, onSubmit, children, foot }: Props) {
  const Tag = onSubmit ? "form" : "div";
  return (
    <Tag className={classes.form} {...(onSubmit && { onSubmit: onSubmit as never, noValidate: true })}>
      <Title text={title} />
      <div>
        <h1>{title}</h1>
        {lead && <p className={classes.lead}>{lead}</p>}
      </div>
      <FormAlert text={alert} />
      {children}
      {foot && <p className={classes.foot}>{foot}</p>}
    </Tag>
  );
}
