/** The identities at providers with which the user signs in. */
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { problemOf } from "../../api/explain";
import { type Identity, identities, useRemoveIdentity } from "../../api/proof";
import { ListTable } from "../../components/ListTable";
import { PROVIDERS } from "../proof/Proof";
import { ProofDialog } from "../proof/ProofDialog";
import { Card } from "../../components/ui/Card";
import type { Column } from "../../components/ui/DataTable";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.twostep";

export function Identities() {
  const list = useQuery(identities);
  const { haspassword } = useAccount();
  const [removing, setRemoving] = useState<Identity | null>(null);
  const isLast = !haspassword && list.data?.resource.length === 1;
  const remove = (one: Identity) => (
    <Button
      size="compact-sm"
      variant="default"
      disabled={isLast}
      aria-label={t("identities.removeOf", { provider: PROVIDERS[one.provider], email: one.email ?? "" })}
      onClick={() => setRemoving(one)}
    >
      {t("identities.remove")}
    </Button>
  );
  const columns: Column<Identity>[] = [
    { key: "provider", head: t("identities.provider"), cell: ({ provider }) => PROVIDERS[provider] },
    { key: "email", head: t("identities.email"), cell: ({ email }) => email ?? "–" },
    { key: "since", head: t("identities.since"), cell: ({ createdon }) => dayText(createdon) },
    { key: "actions", head: t("identities.actions"), align: "end", cell: remove },
  ];
  return (
    <Card title={t("identities.title")} text={t("identities.text")}>
      <ListTable
        label={t("identities.title")}
        list={list}
        explain={problemOf}
        empty={<p>{t("identities.none")}</p>}
        columns={columns}
        rowKey={({ identityid }) => identityid}
        lines={1}
        phone={(one) => (
          <>
            <strong>{PROVIDERS[one.provider]}</strong>
            {remove(one)}
            <span>{one.email ?? "–"}</span>
            <span>{dayText(one.createdon)}</span>
          </>
        )}
      />
      {isLast && <Text mt="md">{t("identities.last")}</Text>}
      {removing && <Remove identity={removing} onClose={() => setRemoving(null)} />}
    </Card>
  );
}

function Remove({ identity: { identityid, provider }, onClose }: { identity: Identity; onClose: () => void }) {
  const send = useRemoveIdentity();
  return (
    <ProofDialog
      send={send}
      body={{ identityid }}
      title={t("identities.removeTitle")}
      text={t("identities.removeText", { provider: PROVIDERS[provider] })}
      confirm={t("identities.remove")}
      danger
      onClose={onClose}
      onDone={() => toast(t("identities.removed"))}
    />
  );
}
