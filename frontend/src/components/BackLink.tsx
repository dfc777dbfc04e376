/** The way back to the screen before, above a heading. In: where it leads, and its words. */
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./BackLink.module.css";

export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes.back}>
      <ArrowLeft size={16} aria-hidden="true" />
      {children}
    </Link>
  );
}
