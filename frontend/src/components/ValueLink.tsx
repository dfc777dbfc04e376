/** A phone number that calls, or an address that opens a mail. */
import type { Kind } from "../domain/reveal";
import { Address } from "./Address";
import { PhoneText } from "./PhoneText";
import classes from "./ValueLink.module.css";

export function ValueLink({ kind, value }: { kind: Kind; value: string }) {
  const isPhone = kind === "phone";
  return (
    <a href={`${isPhone ? "tel" : "mailto"}:${value}`} className={classes.link}>
      {isPhone ? <PhoneText value={value} /> : <Address text={value} />}
    </a>
  );
}
