/** A button that is an icon, for rows of a table: Mantine's ActionIcon renders five components where this renders none.

 `pressed`  of a button that stays pressed
*/
import type { ComponentProps } from "react";
import classes from "./IconButton.module.css";

interface Props extends ComponentProps<"button"> {
  "aria-label": string;
  pressed?: boolean | "mixed";
}

export function IconButton({ pressed, ...rest }: Props) {
  return <button type="button" className={classes.button} aria-pressed={pressed} {...rest} />;
}
