/** Links to people, as cards with a second line about each. */
import type { ReactNode } from "react";
import { Link } from "react-router";
import { NameAvatar } from "./NameAvatar";
import classes from "./PersonLinks.module.css";

interface PersonLink {
  to: string;
  name: string;
  about: string;
}

interface Props {
  people: readonly PersonLink[];
  /** Shown at the end of each link. */
  mark?: ReactNode;
  preventScrollReset?: boolean;
}

export function PersonLinks({ people, mark, preventScrollReset }: Props) {
  return (
    <ul className={classes.list}>
      {people.map(({ to, name, about }) => (
        <li key={to}>
          <Link to={to} className={classes.link} {...(preventScrollReset && { preventScrollReset })}>
            <NameAvatar name={name} size={32} drawn />
            <span className={classes.who}>
              <strong>{name}</strong>
              <span>{about}</span>
            </span>
            {mark}
          </Link>
        </li>
      ))}
    </ul>
  );
}
