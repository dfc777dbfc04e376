/** The cost of revealing several people, with a choice of kinds and a price limit; then the purchase. */
import { Button, Checkbox, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { creditsOf, useAccount, useBalancesKnown } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { type Bought, type Chosen, priceOf, useRevealMany } from "../../api/people";
import { BusyButton } from "../../components/ui/BusyButton";
import { CountInput } from "../../components/ui/CountInput";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { CREDIT_OF, KINDS, type Kind, REVEAL_TYPE } from "../../domain/reveal";
import { t } from "../../lib/i18n.people";
import { isCount } from "../../lib/validate";
import classes from "./PeopleSearch.module.css";

const MOST_CREDITS = 300;

interface Props {
  chosen: Chosen;
  count: number;
  onClose: () => void;
  onDone: () => void;
  /** Adds the revealed people to a list. */
  onList: (urls: string[]) => void;
}

const errorOf = (error: unknown) =>
  error instanceof ApiError && error.reason === "over_ceiling" ? t("people.overCeiling", { count: Number(error.context["price"]) }) : explain(error);

export default function RevealDialog({ chosen, count, onClose, onDone, onList }: Props) {
  const credits = creditsOf(useAccount());
  const know = useBalancesKnown();
  const [kinds, setKinds] = useState<readonly Kind[]>(["phone"]);
  const [most, setMost] = useState<string | null>(null);
  const [done, setDone] = useState<Bought | null>(null);
  const purchase = { ...chosen, kinds: kinds.map((kind) => REVEAL_TYPE[kind]) };
  const price = useQuery({ ...priceOf(purchase), enabled: kinds.length > 0 && done === null });
  const buy = useRevealMany();
  const ceiling = most ?? String(price.data?.price ?? 0);
  const fits = isCount(ceiling, MOST_CREDITS);
  const tick = (kind: Kind, on: boolean) => {
    setKinds(KINDS.filter((one) => (one === kind ? on : kinds.includes(one))));
    setMost(null);
    buy.reset();
  };
  const found = done ? done.resource.filter(({ status }) => status === "found").map(({ linkedinurl }) => linkedinurl) : [];
  const close = () => (done ? onDone() : onClose());

  return (
    <Dialog opened onClose={close} title={t("people.revealTitle", { count })}>
      {done ? (
        <div className={classes.dialog} role="status">
          <p className={classes.price}>{t("people.revealed", { count: found.length })}</p>
          <p className={classes.dim}>{t("people.charged", { count: done.charged })}</p>
          <div className={classes.dialogFoot}>
            <Link to="/dashboard/main/mycontacts" className={classes.link}>
              {t("bulk.inContacts")}
            </Link>
            {found.length > 0 && (
              <Button variant="default" onClick={() => onList(found)}>
                {t("people.toList")}
              </Button>
            )}
            <BusyButton onClick={onDone}>
              {t("done")}
            </BusyButton>
          </div>
        </div>
      ) : (
        <form
          className={classes.dialog}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            buy.mutate(
              { ...purchase, max_credits: Number(ceiling) },
              {
                onSuccess: (bought) => {
                  know(bought.credits);
                  setDone(bought);
                },
              },
            );
          }}
        >
          <FormAlert text={(buy.error && errorOf(buy.error)) ?? (price.error && explain(price.error))} />
          <fieldset className={classes.kinds}>
            <legend className="visually-hidden">{t("bulk.kinds")}</legend>
            {KINDS.map((kind) => (
              <Checkbox
                key={kind}
                label={`${t(`kind.${kind}`)} · ${t("search.credits", { count: credits?.[CREDIT_OF[kind]] ?? 0 })}`}
                checked={kinds.includes(kind)}
                onChange={(event) => tick(kind, event.currentTarget.checked)}
              />
            ))}
          </fieldset>
          <p className={classes.price} aria-live="polite">
            {kinds.length === 0 ? t("search.chooseOptions") : price.isFetching || !price.data ? <Loader size="sm" /> : t("bulk.credits", { count: price.data.price })}
          </p>
          <p className={classes.dim}>{price.data?.price === 0 ? t("bulk.free") : t("bulk.priceText")}</p>
          <CountInput
            label={t("people.ceiling")}
            description={t("people.ceilingText")}
            value={ceiling}
            onChange={(event) => setMost(event.currentTarget.value)}
            error={fits ? null : t("field.count", { most: MOST_CREDITS })}
          />
          <div className={classes.dialogFoot}>
            <BusyButton type="submit" busy={buy.isPending} disabled={!fits || kinds.length === 0 || !price.data}>
              {t("people.revealFor", { count: price.data?.price ?? 0 })}
            </BusyButton>
          </div>
        </form>
      )}
    </Dialog>
  );
}
