/** The form-level error, above the fields; read out as soon as it appears. */
import { CircleAlert } from "lucide-react";
import classes from "./FormAlert.module.css";

export function FormAlert({ text }: { text: string | null | undefined }) {
  if (!text) return null;
  return (
    <div className={classes.alert} role="alert">
      <CircleAlert size={18} aria-hidden="true" />
      <span>{text}</span>
    </div>
  );
}
