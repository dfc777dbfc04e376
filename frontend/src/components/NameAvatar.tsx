/** An avatar with the initials of a name, in a colour derived from the name. */
import type { CSSProperties } from "react";
import { hueOf, initials } from "../domain/contacts";
import classes from "./NameAvatar.module.css";

interface Props {
  name: string;
  src?: string | null | undefined;
  size?: number;
  /** Inside a button, the style sheet draws the letters, so that they do not become part of its text. */
  drawn?: boolean;
}

export function NameAvatar({ name, src, size = 40, drawn = false }: Props) {
  const style = { width: size, height: size, fontSize: size * 0.38, "--hue": hueOf(name) } as CSSProperties;
  if (src) return <img className={classes.avatar} style={style} src={src} alt="" />;
  const letters = initials(name);
  return (
    <span className={`avatar-colors ${classes.avatar}`} style={style} aria-hidden="true" data-initials={drawn ? letters : undefined}>
      {!drawn && letters}
    </span>
  );
}
