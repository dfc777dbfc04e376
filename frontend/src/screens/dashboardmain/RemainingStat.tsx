/** A remaining quantity, as a number and as a ring. */
import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Stat } from "../../components/ui/Stat";
import { numberFormat, numberText } from "../../lib/locale";
import ringClasses from "../../components/ui/Ring.module.css";

interface Props {
  label: string;
  left: number;
  total: number;
  note: string;
  /** A line about the use, below the note. */
  detail?: ReactNode;
  to: string | undefined;
}

export function RemainingStat({ label, left, total, note, detail, to }: Props) {
  const percent = total > 0 ? Math.min(100, Math.round((left / total) * 100)) : 0;
  return (
    <Stat
      label={label}
      value={numberText(left)}
      unit={`/${numberText(total)}`}
      note={note}
      detail={detail}
      aside={
        <Stack align="center" gap="var(--s-1)" c="dimmed" fz="xs" lh="xs">
          <Ring percent={percent} />
          <span>{numberFormat({ style: "percent" }).format(percent / 100)}</span>
        </Stack>
      }
      to={to}
    />
  );
}

const RADIUS = 17;
const LENGTH = 2 * Math.PI * RADIUS;

/** A ring of 40 px that is filled by a share. Decoration, because the number next to it says the same. */
function Ring({ percent }: { percent: number }) {
  return (
    <svg className={ringClasses.ring} viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      <circle cx="20" cy="20" r={RADIUS} className={ringClasses.track} />
      {percent > 0 && <circle cx="20" cy="20" r={RADIUS} className={ringClasses.fill} strokeDasharray={`${(percent / 100) * LENGTH} ${LENGTH}`} />}
    </svg>
  );
}
