/** One phone number or address: masked, or with its actions. */
import { ActionIcon, Box, Button, Group, Popover, Tooltip } from "@mantine/core";
import { CircleCheck, Phone, QrCode } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { toast } from "../../../shared/toasts";
import { CopyButton } from "../../components/CopyButton";
import { VoteButtons } from "../../components/VoteButtons";
import { localTime } from "../../domain/localtime";
import type { Kind } from "../../domain/reveal";
import type { Vote } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import { usePhone } from "../../lib/usephone";
import classes from "./Card.module.css";
import valueLink from "../../components/ValueLink.module.css";
import { PhoneText } from "../../components/PhoneText";
import { Address } from "../../components/Address";

const DialCode = lazy(() => import("../../components/DialCode"));

interface Props {
  kind: Kind;
  value: string;
  hidden: boolean;
  /** null if this kind of value has no status. */
  verified: boolean | null;
  /** The user's vote on it. */
  vote: Vote | undefined;
  onUpvote: () => void;
  onFlag: () => void;
}

export function Value({ kind, value, hidden, verified, vote, onUpvote, onFlag }: Props) {
  return (
    <li className={classes.value}>
      <span className={classes.text}>
        {hidden ? value : <ValueLink kind={kind} value={value} />}
      </span>
      <span className={classes.status}>
        {verified !== null && <Status verified={verified} />}
        {kind === "phone" && !hidden && <Line value={value} />}
        {vote === "downvote" && !hidden && <Box component="span" display="block" c="var(--warn)" fz="xs" lh="xs">{t("vote.reported")}</Box>}
      </span>
      {!hidden && (
        <Group component="span" align="stretch" wrap="nowrap" justify="flex-end" gap="var(--s-1)" className={classes.actions}>
          <VoteButtons value={value} vote={vote} className={classes.late} onUpvote={onUpvote} onFlag={onFlag} />
          {kind === "phone" && (
            <>
              <Button component="a" href={`tel:${value}`} size="sm" variant="light" me="var(--s-1)" leftSection={<Phone size={16} strokeWidth={1.75} aria-hidden="true" />}>
                {t("search.call")}
              </Button>
              <Dial value={value} />
            </>
          )}
          <CopyButton text={value} label={t("search.copy", { value })} onCopied={() => toast(t("copiedFully"))} />
        </Group>
      )}
    </li>
  );
}

/** The kind of line, and the local time there. */
function Line({ value }: { value: string }) {
  const { line, country } = usePhone(value);
  const there = localTime(country);
  const parts = [line && t(`search.line.${line}`), there && t("search.timeThere", there)].filter(Boolean);
  return <Box component="span" c="dimmed" fz="sm" lh="sm">{parts.join(" · ")}</Box>;
}

/** Dials on the phone next to the computer; on a phone, calls directly. */
function Dial({ value }: { value: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" className={classes.dial} aria-label={t("search.dial", { value })} onClick={() => setOpened(!opened)}>
          <QrCode size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("search.dial", { value })}>
        <Suspense>
          <DialCode value={value} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Verified has a tick and partly verified a half dot, so that colour is not the only difference. */
function Status({ verified }: { verified: boolean }) {
  return (
    <Tooltip label={verified ? t("search.verifiedHint") : t("search.partialHint")}>
      <Group component="span" display="inline-flex" wrap="nowrap" gap="var(--s-1)" className={classes.badge} data-good={verified || undefined}>
        {verified ? <CircleCheck size={14} aria-hidden="true" /> : <span className={classes.half} aria-hidden="true" />}
        {verified ? t("search.verified") : t("search.partial")}
      </Group>
    </Tooltip>
  );
}

/** A phone number that calls, or an address that opens a mail. */
function ValueLink({ kind, value }: { kind: Kind; value: string }) {
  const isPhone = kind === "phone";
  return (
    <a href={`${isPhone ? "tel" : "mailto"}:${value}`} className={valueLink.link}>
      {isPhone ? <PhoneText value={value} /> : <Address text={value} />}
    </a>
  );
}
