/** Downvotes that wait for a decision. */
import { Anchor, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "react-router";
import { toast } from "../../../shared/toasts";
import { type Vote, useDesk, votes } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { ListTable } from "../../components/ListTable";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { ActionDialog } from "./ActionDialog";

type Asking = { vote: Vote; decision: "accepted" | "rejected" } | null;

export function FeedbackPage() {
  const list = useQuery(votes);
  const [asking, setAsking] = useState<Asking>(null);
  const columns = useMemo<Column<Vote>[]>(
    () => [
      {
        key: "client",
        head: t("feedback.client"),
        cell: ({ clientid, companyname }) => (
          <Anchor component={Link} to={`/desk/client/${clientid}`}>{companyname || t("find.unnamed", { id: String(clientid) })}</Anchor>
        ),
      },
      { key: "kind", head: t("feedback.kind"), cell: ({ type }) => t(`feedback.${type}`) },
      { key: "reason", head: t("feedback.reason"), cell: ({ downvotereason }) => t(`feedback.${downvotereason}`) },
      { key: "profile", head: t("feedback.profile"), cell: ({ linkedin_url }) => linkedin_url },
      { key: "date", head: t("feedback.date"), cell: ({ createdon }) => dayText(createdon) },
      { key: "actions", head: t("feedback.actions"), align: "end", cell: (vote) => <Decide vote={vote} onAsk={setAsking} /> },
    ],
    [],
  );
  return (
    <Page title={t("feedback.title")} lead={t("feedback.lead")}>
      <ListTable
        label={t("feedback.title")}
        list={list}
        explain={problemOf}
        empty={<Empty title={t("nothingWaiting")} card />}
        columns={columns}
        rowKey={({ feedbackid }) => feedbackid}
        phone={(vote) => (
          <>
            <strong>{vote.companyname}</strong>
            <span>{dayText(vote.createdon)}</span>
            <span>
              {t(`feedback.${vote.type}`)}: {t(`feedback.${vote.downvotereason}`)}
            </span>
            <Decide vote={vote} onAsk={setAsking} />
          </>
        )}
      />
      {asking && <Ask asking={asking} onClose={() => setAsking(null)} />}
    </Page>
  );
}

function Decide({ vote, onAsk }: { vote: Vote; onAsk: (asking: Asking) => void }) {
  return (
    <Group justify="flex-end" align="stretch" gap="xs">
      <Button size="compact-sm" variant="default" aria-label={t("feedback.acceptOf", { name: vote.name })} onClick={() => onAsk({ vote, decision: "accepted" })}>
        {t("feedback.accept")}
      </Button>
      <Button size="compact-sm" variant="default" aria-label={t("feedback.rejectOf", { name: vote.name })} onClick={() => onAsk({ vote, decision: "rejected" })}>
        {t("feedback.reject")}
      </Button>
    </Group>
  );
}

function Ask({ asking: { vote, decision }, onClose }: { asking: NonNullable<Asking>; onClose: () => void }) {
  const decide = useDesk("feedback");
  const word = decision === "accepted" ? "accept" : "reject";
  const confirm = (reason: string) =>
    decide.mutate(
      { feedbackid: vote.feedbackid, decision, reason },
      {
        onSuccess: () => {
          toast(t("feedback.done"));
          onClose();
        },
      },
    );
  return (
    <ActionDialog
      title={t(`feedback.${word}Title`)}
      text={t(`feedback.${word}Text`)}
      confirm={t(`feedback.${word}`)}
      busy={decide.isPending}
      error={decide.error}
      onClose={onClose}
      onConfirm={confirm}
    />
  );
}
