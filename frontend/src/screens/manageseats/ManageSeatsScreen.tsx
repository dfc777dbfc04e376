/** The team: plan and seats, members, and the invitation of new ones. */
import { Badge, Button, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search, UserPlus } from "lucide-react";
import { useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { creditsOf, isFreePlan, subscriptionOf, useAccount } from "../../api/account";
import { problemOf } from "../../api/explain";
import { team } from "../../api/team";
import type { User } from "../../api/types";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Meter } from "../../components/ui/Meter";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.dashboard";
import { AddMember } from "./AddMember";
import classes from "./ManageSeats.module.css";
import { TeamTable } from "./TeamTable";

function PlanBanner({ used }: { used: number }) {
  const me = useAccount();
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid;
  return (
    <section className={classes.plan} aria-label={t("seats.current")}>
      <p>
        <span>{t("seats.current")}</span>
        <strong>{plan?.name ?? t("seats.none")}</strong>
      </p>
      {plan && (
        <Stack gap="var(--s-1)" className={classes.seats}>
          <span>
            {t("billing.seatsUsed")}: {t("billing.seatsOf", { used, total: plan.availableseats })} ·{" "}
            {t("billing.seatsLeft", { left: Math.max(0, plan.availableseats - used) })}
          </span>
          <Meter used left={plan.availableseats - used} total={plan.availableseats} />
        </Stack>
      )}
      <ButtonLink to="/dashboard/upgradeplan" role="button" variant="default" size="sm">
        {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
      </ButtonLink>
    </section>
  );
}

export function ManageSeatsScreen() {
  const me = useAccount();
  const list = useQuery(team);
  const [adding, { open, close }] = useDisclosure();
  const seats = creditsOf(me)?.seatcount ?? 0;
  const total = subscriptionOf(me)?.subscriptionplan_by_planid?.availableseats ?? 0;
  const add = () => (subscriptionOf(me) ? open() : toast(t("seats.addPlan"), "bad"));

  return (
    <Page
      title={t("settings.manageseats")}
      actions={
        <>
          <Badge variant="light" size="lg" color={seats > 0 ? "pine" : "gray"}>
            {t("seats.available", { count: seats })}
          </Badge>
          {seats > 0 && (
            <Button onClick={add} leftSection={<UserPlus size={16} strokeWidth={1.75} aria-hidden="true" />}>
              {t("seats.add")}
            </Button>
          )}
        </>
      }
    >
      <PlanBanner used={Math.max(0, total - seats)} />
      <ListState list={list} rows={list.data?.resource} explain={problemOf} skeleton={{ lines: 3, faces: true }}>
        {(members) => <Members members={members} />}
      </ListState>
      <AddMember opened={adding} onClose={close} />
    </Page>
  );
}

// A team that fits on one screen is scanned faster than searched.
const FEW = 15;

function Members({ members }: { members: User[] }) {
  const [typed, setTyped] = useState("");
  const words = typed.trim().toLowerCase();
  const shown = useMemo(() => members.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(words)), [members, words]);
  if (members.length <= FEW) return <TeamTable members={members} />;
  return (
    <Stack gap="sm">
      <TextInput
        className={classes.find}
        size="sm"
        aria-label={t("seats.find")}
        placeholder={t("seats.find")}
        leftSection={<Search size={16} strokeWidth={1.75} aria-hidden="true" />}
        value={typed}
        maxLength={100}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {shown.length === 0 ? <Empty title={t("noDataFound")} card /> : <TeamTable members={shown} />}
    </Stack>
  );
}

export { ManageSeatsScreen as Component };
