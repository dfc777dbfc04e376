/** A ring of 40 px that is filled by a share. Decoration, because the number next to it says the same. */
import classes from "./Ring.module.css";

const RADIUS = 17;
const LENGTH = 2 * Math.PI * RADIUS;

export function Ring({ percent }: { percent: number }) {
  return (
    <svg className={classes.ring} viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      <circle cx="20" cy="20" r={RADIUS} className={classes.track} />
      {percent > 0 && <circle cx="20" cy="20" r={RADIUS} className={classes.fill} strokeDasharray={`${(percent / 100) * LENGTH} ${LENGTH}`} />}
    </svg>
  );
}
