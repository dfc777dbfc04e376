/** A link above the heading, back to the previous screen. */
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
