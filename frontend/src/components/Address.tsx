/** An email address or number that breaks before its "@" when it does not fit a line, not at the first hyphen of its domain. */
import classes from "./Address.module.css";

export function Address({ text }: { text: string }) {
  const at = text.lastIndexOf("@");
  if (at < 1) return text;
  return (
    <>
      <span className={classes.part}>{text.slice(0, at)}</span>
      <span className={classes.part}>{text.slice(at)}</span>
    </>
  );
}
