/** Grants or deducts credits, and shows the resulting balance. */
import { NativeSelect, NumberInput } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { KINDS, type Kind, useDesk } from "../../api/desk";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import { ActionDialog } from "./ActionDialog";

interface Props {
  clientid: number;
  balances: Record<Kind, number>;
  onClose: () => void;
}

const MOST = 1_000_000;

export function CreditsDialog({ clientid, balances, onClose }: Props) {
  const [kind, setKind] = useState<Kind>("contactcredit");
  const [amount, setAmount] = useState(0);
  // One id for the whole dialog: pressing twice, or again after a lost response, changes the balance once.
  const [requestid] = useState(() => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-"));
  const change = useDesk<{ balance: number }>("credits");
  const confirm = (reason: string) =>
    change.mutate(
      { clientid, kind, amount, reason, requestid },
      {
        onSuccess: ({ balance }) => {
          toast(t("credits.done", { balance }));
          onClose();
        },
      },
    );
  return (
    <ActionDialog
      title={t("credits.open")}
      text={outcome(amount, balances[kind])}
      confirm={t("credits.confirm")}
      danger={amount < 0}
      busy={change.isPending}
      error={change.error}
      ready={amount !== 0}
      onClose={onClose}
      onConfirm={confirm}
    >
      <NativeSelect
        label={t("credits.kind")}
        data={KINDS.map((value) => ({ value, label: `${t(`kinds.${value}`)}: ${numberText(balances[value])}` }))}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
        data-autofocus
      />
      <NumberInput
        label={t("credits.amount")}
        description={t("credits.amountHint")}
        value={amount}
        min={-MOST}
        max={MOST}
        allowDecimal={false}
        hideControls
        onChange={(value) => setAmount(Number(value) || 0)}
      />
    </ActionDialog>
  );
}

function outcome(amount: number, before: number): string {
  if (amount === 0) return t("credits.amountMissing");
  const balance = before + amount;
  if (balance < 0) return t("credits.tooFew");
  return amount > 0 ? t("credits.grant", { count: amount, balance }) : t("credits.take", { count: -amount, balance });
}
