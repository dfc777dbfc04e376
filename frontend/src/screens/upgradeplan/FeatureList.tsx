/** What a plan holds, line by line, each with its explanation. */
import { Tooltip } from "@mantine/core";
import { Check } from "lucide-react";
import type { Feature } from "../../api/types";
import classes from "./UpgradePlan.module.css";

export function FeatureList({ label, features }: { label: string; features: Feature[] }) {
  return (
    <ul className={classes.features} aria-label={label}>
      {features.map((feature) => (
        <Line key={feature.name} feature={feature} />
      ))}
    </ul>
  );
}

function Line({ feature: { name, value, tooltip, tooltipapi } }: { feature: Feature }) {
  const hint = [tooltip, tooltipapi].filter(Boolean).join(" ");
  return (
    <li>
      <Check size={16} aria-hidden="true" />
      {hint ? (
        <Tooltip label={hint} multiline maw={240} events={{ hover: true, focus: true, touch: true }}>
          <button type="button" className={classes.hint}>
            {name}
          </button>
        </Tooltip>
      ) : (
        <span>{name}</span>
      )}
      <strong>{value}</strong>
    </li>
  );
}
