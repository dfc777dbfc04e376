/** States that the plan does not allow the seats or keys in use, and links to where they can be deleted. */
import { Link, useNavigate } from "react-router";
import { Confirm } from "../../components/ui/Confirm";
import { useLast } from "../../components/useLast";
import { t } from "../../lib/i18n.dashboard";
import type { PlanChange } from "./usePlanChange";

export function LimitDialog({ change: { question, close } }: { change: PlanChange }) {
  const go = useNavigate();
  const asked = question?.kind === "limit" ? question : null;
  const shown = useLast(asked);
  if (!shown) return null;

  const { plan, over } = shown;
  const members = over.members > 0;
  const place = members ? "/dashboard/settings/manageseats" : "/dashboard/settings/api";
  const text = members
    ? t("plans.memberOver", { name: plan.name, count: over.members })
    : t("plans.apiOver", { name: plan.name, count: over.apis });
  return (
    <Confirm
      opened={asked !== null}
      onClose={close}
      title={members ? t("plans.memberLimit") : t("plans.apiLimit")}
      text={
        <>
          <p>{text}</p>
          <Link to={place}>{members ? t("plans.opensSeats") : t("plans.opensKeys")}</Link>
        </>
      }
      confirm={t("delete")}
      danger
      onConfirm={() => void go(place)}
    />
  );
}
