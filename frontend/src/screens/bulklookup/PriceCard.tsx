/** The price of the file, the maximum that may be spent, and the start button. */
import { Box, Group, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { creditsOf, useAccount } from "../../api/account";
import { type BulkInput, type Estimate, estimate, useStartBulk } from "../../api/bulk";
import { explain, fieldErrors } from "../../api/explain";
import { BusyButton } from "../../components/ui/BusyButton";
import { CountInput } from "../../components/ui/CountInput";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.people";
import { CREDIT_OF, KINDS, REVEAL_TYPE } from "../../domain/reveal";
import { isBlank, isCount } from "../../lib/validate";
import classes from "./BulkLookup.module.css";
import { MoreCredits } from "./MoreCredits";

const MOST_CREDITS = 3000;

interface Props {
  input: BulkInput;
  onStart: (jobid: number) => void;
}

export function PriceCard({ input, onStart }: Props) {
  const price = useQuery(estimate(input));
  return (
    <div>
      {price.isPending ? (
        <Group component="p" gap="xs" wrap="nowrap" c="dimmed" role="status">
          <Loader size="sm" /> {t("bulk.pricing")}
        </Group>
      ) : price.isError ? (
        <FormAlert text={fieldErrors(price.error)["urls"] ?? explain(price.error)} />
      ) : (
        <Offer input={input} price={price.data} onStart={onStart} />
      )}
    </div>
  );
}

function Offer({ input, price, onStart }: Props & { price: Estimate }) {
  const credits = creditsOf(useAccount());
  const [most, setMost] = useState(String(price.estimate));
  const fits = isCount(most, MOST_CREDITS);
  const total = fits ? Math.min(price.estimate, Number(most)) : price.estimate;
  const start = useStartBulk();
  const lines = KINDS.map((kind) => ({ kind, cost: price.estimates[REVEAL_TYPE[kind]] ?? 0, left: credits?.[CREDIT_OF[kind]] ?? 0 }));
  const short = lines.filter(({ cost, left }) => cost > left).map(({ kind }) => kind);

  return (
    <div className={classes.offer}>
      <FormAlert text={start.error && explain(start.error)} />
      <Box fz="xl" fw="var(--fw-600)" lh="xl" className={classes.big}>
        <span className={classes.estimated}>{t("bulk.price")}</span> {t("bulk.credits", { count: price.estimate })} <span>{t("bulk.addresses", { count: price.total })}</span>
      </Box>
      <dl className={classes.prices}>
        {lines
          .filter(({ kind }) => input.kinds.includes(REVEAL_TYPE[kind]))
          .map(({ kind, cost, left }) => (
            <div key={kind}>
              <dt>{t(`kind.${kind}`)}</dt>
              <dd>
                {t("bulk.credits", { count: cost })}, <span>{t("bulk.left", { count: left })}</span>
              </dd>
            </div>
          ))}
      </dl>
      <p className={classes.dim}>{price.estimate === 0 ? t("bulk.free") : t("bulk.priceText")}</p>
      {short.length > 0 && <MoreCredits kinds={short} text={t("bulk.short")} />}
      <CountInput
        label={t("bulk.max")}
        description={t("bulk.maxText")}
        value={most}
        onChange={(event) => setMost(event.currentTarget.value)}
        error={fits || isBlank(most) ? null : t("field.count", { most: MOST_CREDITS })}
      />
      <div className={classes.bar}>
        <BusyButton
          size="md"
          busy={start.isPending}
          disabled={!fits}
          onClick={() => start.mutate({ ...input, max_credits: Number(most) }, { onSuccess: ({ jobid }) => onStart(jobid) })}
        >
          {total > 0 ? t("bulk.startFor", { price: t("bulk.credits", { count: total }) }) : t("bulk.start")}
        </BusyButton>
      </div>
    </div>
  );
}
