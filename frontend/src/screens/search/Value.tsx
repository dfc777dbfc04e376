/** One phone number or address: masked, or with what can be done with it. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { CircleCheck, Copy, Flag, ThumbsUp } from "lucide-react";
import { Address } from "../../components/Address";
import type { Vote } from "../../domain/votes";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import classes from "./ContactCard.module.css";

interface Props {
  value: string;
  hidden: boolean;
  /** null: nothing is known about this kind of value. */
  verified: boolean | null;
  /** The own vote on it. */
  vote: Vote | undefined;
  onUpvote: () => void;
  onFlag: () => void;
}

export function Value({ value, hidden, verified, vote, onUpvote, onFlag }: Props) {
  const copy = async () => {
    await copyText(value);
    toast(t("copiedFully"));
  };
  return (
    <li className={classes.value}>
      <span className={classes.text}>
        <Address text={value} />
      </span>
      <span className={classes.status}>{verified !== null && <Status verified={verified} />}</span>
      {!hidden && (
        <span className={classes.actions}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("search.copy", { value })} onClick={() => void copy()}>
            <Copy size={16} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon {...look(vote === "upvote")} aria-label={`${t("vote.up")} ${value}`} onClick={onUpvote}>
            <ThumbsUp size={16} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon {...look(vote === "downvote")} aria-label={t("vote.flag", { value })} onClick={onFlag}>
            <Flag size={16} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </span>
      )}
    </li>
  );
}

/** Verified has a tick, partly verified a half dot: not told apart by colour alone. */
function Status({ verified }: { verified: boolean }) {
  return (
    <Tooltip label={verified ? t("search.verifiedHint") : t("search.partialHint")}>
      <span className={classes.badge} data-good={verified || undefined}>
        {verified ? <CircleCheck size={14} aria-hidden="true" /> : <span className={classes.half} aria-hidden="true" />}
        {verified ? t("search.verified") : t("search.partial")}
      </span>
    </Tooltip>
  );
}

const look = (pressed: boolean) =>
  ({ variant: pressed ? "light" : "subtle", color: pressed ? "pine" : "gray", "aria-pressed": pressed }) as const;
