/** Upvote and report of one value; the user's vote is pressed. */
import { ActionIcon } from "@mantine/core";
import { Flag, ThumbsUp } from "lucide-react";
import type { Vote } from "../domain/votes";
import { t } from "../lib/i18n.dashboard";

interface Props {
  value: string;
  vote: Vote | undefined;
  className?: string | undefined;
  onUpvote: () => void;
  onFlag: () => void;
}

export function VoteButtons({ value, vote, className, onUpvote, onFlag }: Props) {
  return (
    <>
      <ActionIcon {...look(vote === "upvote")} className={className} aria-label={`${t("vote.up")} ${value}`} onClick={onUpvote}>
        <ThumbsUp size={16} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon {...look(vote === "downvote")} className={className} aria-label={t("vote.flag", { value })} onClick={onFlag}>
        <Flag size={16} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </>
  );
}

const look = (pressed: boolean) =>
  ({ variant: pressed ? "light" : "subtle", color: pressed ? "pine" : "gray", "aria-pressed": pressed }) as const;
