/** One phone number or address: masked, or with what can be done with it. */
import { ActionIcon, Badge, Tooltip } from "@mantine/core";
import { Copy, Flag, ThumbsUp } from "lucide-react";
import { copyText } from "../../lib/clipboard";
import { t } from "../../lib/i18n.dashboard";
import type { Vote } from "../../domain/votes";
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
      <span className={classes.text}>{value}</span>
      {verified !== null && (
        <Tooltip label={verified ? t("search.verifiedHint") : t("search.partialHint")}>
          <Badge className={classes.badge} data-good={verified || undefined} tt="none" radius="sm">
            {verified ? t("search.verified") : t("search.partial")}
          </Badge>
        </Tooltip>
      )}
      {!hidden && (
        <span className={classes.actions}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("search.copy", { value })} onClick={() => void copy()}>
            <Copy size={16} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon {...look(vote === "upvote")} aria-label={`${t("vote.up")} ${value}`} onClick={onUpvote}>
            <ThumbsUp size={16} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon {...look(vote === "downvote")} aria-label={t("vote.flag", { value })} onClick={onFlag}>
            <Flag size={16} aria-hidden="true" />
          </ActionIcon>
        </span>
      )}
    </li>
  );
}

const look = (pressed: boolean) =>
  ({ variant: pressed ? "light" : "subtle", color: pressed ? "pine" : "gray", "aria-pressed": pressed }) as const;
