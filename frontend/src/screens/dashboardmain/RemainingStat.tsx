/** A remaining quantity, as a number and as a ring. */
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Ring } from "../../components/ui/Ring";
import { Stat } from "../../components/ui/Stat";
import { numberFormat, numberText } from "../../lib/locale";
import classes from "./DashboardMain.module.css";

interface Props {
  label: string;
  left: number;
  total: number;
  note: string;
  /** A line about the use, below the note. */
  detail?: ReactNode;
  link: { to: string; text: string } | undefined;
}

export function RemainingStat({ label, left, total, note, detail, link }: Props) {
  const percent = total > 0 ? Math.min(100, Math.round((left / total) * 100)) : 0;
  return (
    <Stat
      label={label}
      value={numberText(left)}
      unit={`/${numberText(total)}`}
      note={note}
      detail={detail}
      aside={
        <div className={classes.ring}>
          <Ring percent={percent} />
          <span>{numberFormat({ style: "percent" }).format(percent / 100)}</span>
        </div>
      }
    >
      {link && (
        <Link className={classes.more} to={link.to}>
          {link.text}
        </Link>
      )}
    </Stat>
  );
}
