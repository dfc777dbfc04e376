/** The frame without a word in it, while its code is on its way; nothing before the sign-in. */
import classes from "./FrameShape.module.css";

export function FrameShape() {
  if (!window.location.pathname.startsWith("/dashboard")) return null;
  return (
    <div className={classes.frame} aria-hidden="true">
      <div className={classes.sidebar} />
      <div className={classes.header} />
    </div>
  );
}
