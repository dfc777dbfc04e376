/** The team: plan and seats, members, and the invitation of new ones. */
import { Badge, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { Link, Navigate } from "react-router";
import { creditsOf, isFreePlan, isOwner, subscriptionOf, useAccount } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { team } from "../../api/team";
import type { List, User } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Title } from "../../components/Title";
import { Card } from "../../components/ui/Card";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import { AddMember } from "./AddMember";
import classes from "./ManageSeats.module.css";
import { TeamTable } from "./TeamTable";

export function ManageSeatsScreen() {
  const me = useAccount();
  if (!isOwner(me)) return <Navigate to="/dashboard/settings/myaccount" replace />;
  return (
    <>
      <Title text={t("settings.manageseats")} />
      <PlanBanner />
      <Team />
    </>
  );
}

function PlanBanner() {
  const me = useAccount();
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid;
  return (
    <section className={classes.banner} aria-label={t("seats.current")}>
      <p>
        <span>{t("seats.current")}</span>
        <strong>{plan?.name ?? t("seats.none")}</strong>
      </p>
      <Button component={Link} to="/dashboard/upgradeplan" role="button" variant="white" size="sm">
        {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
      </Button>
    </section>
  );
}

function Team() {
  const me = useAccount();
  const list = useQuery(team);
  const [adding, { open, close }] = useDisclosure();
  const seats = creditsOf(me)?.seatcount ?? 0;
  const add = () => (subscriptionOf(me) ? open() : toast(t("seats.addPlan"), "bad"));

  return (
    <Card
      title={t("seats.title")}
      action={
        <div className={classes.actions}>
          <Badge variant="light" size="lg" tt="none" color={seats > 0 ? "pine" : "gray"}>
            {t("seats.available", { count: seats })}
          </Badge>
          {seats > 0 && (
            <Button onClick={add} leftSection={<UserPlus size={16} aria-hidden="true" />}>
              {t("seats.add")}
            </Button>
          )}
        </div>
      }
    >
      <Members list={list} />
      <AddMember opened={adding} onClose={close} />
    </Card>
  );
}

function Members({ list }: { list: UseQueryResult<List<User>> }) {
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={3} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  if (list.data.resource.length === 0) return <Empty title={t("noDataFound")} />;
  return <TeamTable members={list.data.resource} />;
}

export { ManageSeatsScreen as Component };
