/** All plans in one table, one line per feature. */
import { Minus } from "lucide-react";
import type { Plan } from "../../api/types";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { isIncluded } from "./FeatureList";
import classes from "./UpgradePlan.module.css";

export function Comparison({ plans }: { plans: Plan[] }) {
  const names = [...new Set(plans.flatMap(({ new_features_json }) => (new_features_json ?? []).map(({ name }) => name)))];
  if (names.length === 0 || plans.length < 2) return null;
  const scrollable = { role: "region", tabIndex: 0, "aria-label": t("plans.compare") };
  return (
    <section className={classes.comparison}>
      <h2>{t("plans.compare")}</h2>
      <div className={classes.scroll} {...scrollable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("plans.feature")}</th>
              {plans.map(({ planid, name }) => (
                <th key={planid} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{planText(name)}</th>
                {plans.map((plan) => (
                  <td key={plan.planid}>
                    <Value plan={plan} name={name} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Value({ plan, name }: { plan: Plan; name: string }) {
  const feature = plan.new_features_json?.find((one) => one.name === name);
  if (feature && isIncluded(feature)) return planText(feature.value);
  return <Minus size={16} strokeWidth={1.75} role="img" aria-label={t("plans.notIncluded")} className={classes.none} />;
}
