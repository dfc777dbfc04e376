/** The price of revealing people, with a choice of kinds and, above a few people, a limit. The values then appear in the
 list. */
import { Box, Checkbox, Group, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { creditsOf, useAccount, useBalancesKnown } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { type Chosen, priceOf, useRevealMany } from "../../api/people";
import { BusyButton } from "../../components/ui/BusyButton";
import { CountInput } from "../../components/ui/CountInput";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { CREDIT_OF, KINDS, type Kind, REVEAL_TYPE } from "../../domain/reveal";
import { t } from "../../lib/i18n.people";
import { isCount } from "../../lib/validate";
import classes from "./RevealDialog.module.css";

const MOST_CREDITS = 300;
/** Up to this many people, the price on the button is limit enough. */
const FEW = 25;

interface Props {
  chosen: Chosen;
  count: number;
  /** In place of the number of people, for a single one. */
  name?: string | undefined;
  /** The kinds that can be revealed; all by default. */
  kinds?: readonly Kind[];
  onClose: () => void;
  /** The profile addresses of the people that were found. */
  onDone: (urls: string[]) => void;
}

const errorOf = (error: unknown) =>
  error instanceof ApiError && error.reason === "over_ceiling" ? t("people.overCeiling", { count: Number(error.context["price"]) }) : explain(error);

export default function RevealDialog({ chosen, count, name, kinds: offered = KINDS, onClose, onDone }: Props) {
  const credits = creditsOf(useAccount());
  const know = useBalancesKnown();
  const [kinds, setKinds] = useState<readonly Kind[]>(offered.slice(0, 1));
  const [most, setMost] = useState<string | null>(null);
  const purchase = { ...chosen, kinds: kinds.map((kind) => REVEAL_TYPE[kind]) };
  const price = useQuery({ ...priceOf(purchase), enabled: kinds.length > 0 });
  const buy = useRevealMany();
  const ceiling = most ?? String(price.data?.price ?? 0);
  const fits = isCount(ceiling, MOST_CREDITS);
  const tick = (kind: Kind, on: boolean) => {
    setKinds(offered.filter((one) => (one === kind ? on : kinds.includes(one))));
    setMost(null);
    buy.reset();
  };
  return (
    <Dialog opened onClose={onClose} title={name ? t("people.revealOne", { name }) : t("people.revealTitle", { count })}>
      <form
        className={classes.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          buy.mutate(
            { ...purchase, max_credits: Number(ceiling) },
            {
              onSuccess: ({ credits: left, charged, resource }) => {
                know(left);
                const urls = resource.filter(({ status }) => status === "found").map(({ linkedinurl }) => linkedinurl);
                toast(`${t("people.revealed", { count: urls.length })}. ${t("people.charged", { count: charged })}`);
                onDone(urls);
              },
            },
          );
        }}
      >
        <FormAlert text={(buy.error && errorOf(buy.error)) ?? (price.error && explain(price.error))} />
        <fieldset className={classes.kinds}>
          <legend className="visually-hidden">{t("bulk.kinds")}</legend>
          {offered.map((kind) => (
            <Checkbox
              key={kind}
              label={`${t(`kind.${kind}`)} · ${t("search.credits", { count: credits?.[CREDIT_OF[kind]] ?? 0 })}`}
              checked={kinds.includes(kind)}
              onChange={(event) => tick(kind, event.currentTarget.checked)}
            />
          ))}
        </fieldset>
        <Box component="p" mih="var(--lh-24)" fz="var(--fs-24)" fw="var(--fw-600)" lts="var(--tracking)" lh="var(--lh-24)" aria-live="polite">
          {kinds.length === 0 ? t("search.chooseOptions") : price.isFetching || !price.data ? <Loader size="sm" /> : t("bulk.credits", { count: price.data.price })}
        </Box>
        <Text c="dimmed" size="sm">{price.data?.price === 0 ? t("bulk.free") : t("people.priceText")}</Text>
        {count > FEW && (
          <CountInput
            label={t("people.ceiling")}
            description={t("people.ceilingText")}
            value={ceiling}
            onChange={(event) => setMost(event.currentTarget.value)}
            error={fits ? null : t("field.count", { most: MOST_CREDITS })}
          />
        )}
        <Group align="stretch" wrap="nowrap" justify="flex-end" gap={0}>
          <BusyButton type="submit" busy={buy.isPending} disabled={!fits || kinds.length === 0 || !price.data || price.isFetching}>
            {t("people.revealFor", { count: price.data?.price ?? 0 })}
          </BusyButton>
        </Group>
      </form>
    </Dialog>
  );
}
