/** The values of one kind: up to three, or the first and a button for the others. A press on a value copies it. */
import { Group, Popover, Stack } from "@mantine/core";
import { CircleCheck, Phone, ThumbsDown, ThumbsUp } from "lucide-react";
import { use, useState } from "react";
import { copyText } from "../../../shared/clipboard";
import { toast } from "../../../shared/toasts";
import type { UserContact } from "../../api/types";
import { PhoneText } from "../../components/PhoneText";
import { listOf } from "../../domain/contacts";
import type { Kind } from "../../domain/reveal";
import { type Vote, voteOn } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import classes from "./MyContacts.module.css";
import { VotingContext, votableOf } from "./voting";

const MOST_VALUES = 3;

export function ValuesCell({ row, kind, single }: { row: UserContact; kind: Kind; single: boolean }) {
  const values = votableOf(row).filter((one) => one.kind === kind);
  const few = values.slice(0, MOST_VALUES).map(({ value }) => value);
  const [first, ...others] = few;
  if (first === undefined) return <span className={classes.none}>–</span>;
  if (!single) {
    return (
      <span className={classes.few}>
        {few.map((value) => (
          <Value key={value} row={row} kind={kind} value={value} />
        ))}
      </span>
    );
  }
  return (
    <span className={classes.values}>
      <Value row={row} kind={kind} value={first} />
      {others.length > 0 && <More row={row} kind={kind} values={values.map(({ value }) => value)} others={others} />}
    </span>
  );
}

interface ValueProps {
  row: UserContact;
  kind: Kind;
  value: string;
}

function Value({ row, kind, value }: ValueProps) {
  const { votes } = use(VotingContext);
  const vote = voteOn(votes, row.linkedinurl, { kind, value });
  const first = listOf(row.business_emails)[0];
  return (
    <Group component="span" display="inline-flex" wrap="nowrap" gap="var(--s-1)" pos="relative">
      <button type="button" className={classes.value} aria-label={t("search.copy", { value })} onClick={() => void copy(value)}>
        {kind === "phone" ? <PhoneText value={value} plain /> : value}
      </button>
      {kind === "phone" && (
        <a href={`tel:${value}`} className={classes.call} aria-label={t("contacts.call", { value })} title={t("search.call")}>
          <Phone size={14} strokeWidth={1.75} aria-hidden="true" />
        </a>
      )}
      {kind === "business" && value === first && row.bus_email_validation === "valid" && (
        <CircleCheck size={12} color="var(--accent)" style={{ flex: "none" }} role="img" aria-label={t("search.verified")} />
      )}
      {vote && <Mark vote={vote} />}
    </Group>
  );
}

interface MoreProps {
  row: UserContact;
  kind: Kind;
  values: string[];
  others: string[];
}

/** The popover is rendered only when opened, because a page has three hundred of these. */
function More({ row, kind, values, others }: MoreProps) {
  const [opened, setOpened] = useState(false);
  const button = (
    <button
      type="button"
      className={classes.more}
      aria-expanded={opened}
      aria-label={`+${others.length}, ${t("contacts.more", { count: others.length, name: row.name })}`}
      onClick={() => setOpened(!opened)}
    >
      +{others.length}
    </button>
  );
  return (
    <>
      {opened ? (
        <Popover opened onChange={setOpened} position="bottom-start" trapFocus returnFocus>
          <Popover.Target>{button}</Popover.Target>
          <Popover.Dropdown aria-label={t(`kind.${kind}`)}>
            <Stack component="span" gap="xs">
              {values.map((value) => (
                <Value key={value} row={row} kind={kind} value={value} />
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
      ) : (
        button
      )}
      <span className="visually-hidden">{others.join(", ")}</span>
    </>
  );
}

async function copy(value: string): Promise<void> {
  await copyText(value);
  toast(t("copied"));
}

/** The user's vote on one value. */
function Mark({ vote }: { vote: Vote }) {
  const [label, Icon] = vote === "upvote" ? [t("vote.upvoted"), ThumbsUp] : [t("vote.downvoted"), ThumbsDown];
  return (
    <span className={classes.mark} role="img" aria-label={label} title={label} data-down={vote === "downvote" || undefined}>
      <Icon size={12} aria-hidden="true" />
    </span>
  );
}
