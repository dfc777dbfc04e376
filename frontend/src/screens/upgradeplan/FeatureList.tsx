/** The features of a plan, each with its explanation. */
import { Tooltip } from "@mantine/core";
import { Check, Minus } from "lucide-react";
import type { Feature } from "../../api/types";
import { planText } from "../../domain/plantexts";
import classes from "./UpgradePlan.module.css";

const NOT_INCLUDED = /^(not included|no|none|0|-|–)$/i;

/** Whether a plan includes the feature: some lines state that it does not. */
export const isIncluded = ({ value }: Pick<Feature, "value">): boolean => !NOT_INCLUDED.test(value.trim());

export function FeatureList({ label, features }: { label: string; features: Feature[] }) {
  return (
    <ul className={classes.features} aria-label={label}>
      {features.map((feature) => (
        <Line key={feature.name} feature={feature} />
      ))}
    </ul>
  );
}

function Line({ feature }: { feature: Feature }) {
  const { tooltip = "", tooltipapi = "" } = feature;
  const [name, value] = [planText(feature.name), planText(feature.value)];
  const hint = [tooltip, tooltipapi].filter(Boolean).map(planText).join(" ");
  const Icon = isIncluded(feature) ? Check : Minus;
  return (
    <li data-none={!isIncluded(feature) || undefined}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
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
