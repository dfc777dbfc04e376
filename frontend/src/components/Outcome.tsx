/** A page that says how something ended, with one way on. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./Outcome.module.css";

interface Props {
  tone: "good" | "bad" | "waiting";
  icon: ReactNode;
  title: string;
  text: string;
  to: string;
  action: string;
}

export function Outcome({ tone, icon, title, text, to, action }: Props) {
  return (
    <section className={classes.outcome} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <span className={classes.icon}>{icon}</span>
      <h1>{title}</h1>
      <p>{text}</p>
      <Button component={Link} to={to} role="button" size="md">
        {action}
      </Button>
    </section>
  );
}
