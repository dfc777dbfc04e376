/** An avatar with the initials of a name, in a colour derived from the name. */
import type { CSSProperties } from "react";
import { hueOf, initials } from "../domain/contacts";
import classes from "./NameAvatar.module.css";

export function NameAvatar({ name, src, size = 40 }: { name: string; src?: string | null | undefined; size?: number }) {
  const style = { width: size, height: size, fontSize: size * 0.38, "--hue": hueOf(name) } as CSSProperties;
  if (src) return <img className={classes.avatar} style={style} src={src} alt="" />;
  return (
    <span className={`avatar-colors ${classes.avatar}`} style={style} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
