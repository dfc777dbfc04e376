/** The person found, with each requested kind of data. */
import { Anchor, Box, Group } from "@mantine/core";
import { CircleCheck, ContactRound, ExternalLink, Eye } from "lucide-react";
import { Suspense, lazy } from "react";
import { Link } from "react-router";
import { saveFile } from "../../../shared/savefile";
import { creditsOf, hasLivePlan, isExpired, useAccount } from "../../api/account";
import type { Asked } from "../../api/contacts";
import { usePersonVotes } from "../../api/personvotes";
import type { Found } from "../../api/types";
import { About } from "../person/CompanyLink";
import { NameAvatar } from "../../components/NameAvatar";
import { BusyButton } from "../../components/ui/BusyButton";
import { profileLink } from "../../domain/contacts";
import { CREDIT_OF, KINDS, type Kind, fieldOf } from "../../domain/reveal";
import { vcard } from "../../domain/vcard";
import { t } from "../../lib/i18n.dashboard";
import classes from "../person/Card.module.css";
import { Exhausted, hasNoCredit } from "./Exhausted";
import { KindField } from "../person/KindField";
import { type Reveals, useReveals } from "../person/useReveals";

const FlagDialog = lazy(() => import("../../components/FlagDialog"));

interface Props {
  found: Found;
  asked: Asked;
  onChange: (update: (found: Found) => Found) => void;
}

export function ContactCard({ found, asked, onChange }: Props) {
  const me = useAccount();
  const url = found.linkedinurl || asked.linkedinurl;
  const reveals = useReveals(url, onChange);
  const kinds = KINDS.filter((kind) => asked[kind]);
  const paid = kinds.some((kind) => isShown(found, kind));
  const voting = usePersonVotes(url, paid);
  const hidden = isExpired(me) ? [] : kinds.filter((kind) => fieldOf(found, kind).hidden);

  return (
    <article className={classes.card}>
      <Group component="header" gap="var(--s-3) var(--s-4)" p="var(--pad-card)" role="presentation">
        <NameAvatar name={found.full_name} size={48} />
        <Box flex="1 1 200px" miw={0} c="dimmed" className={classes.names}>
          <h2>{found.full_name.toUpperCase()}</h2>
          <p>
            <About {...found} />
          </p>
          <Anchor href={profileLink(url)} target="_blank" rel="noopener noreferrer" className={classes.link}>
            {t("search.profile")} <ExternalLink size={12} aria-hidden="true" />
          </Anchor>
        </Box>
        {hidden.length > 1 && <RevealAll kinds={hidden} reveals={reveals} />}
      </Group>
      {!hasLivePlan(me) ? (
        <Exhausted title={t("plan.expired")} />
      ) : (
        hasNoCredit(me) && <Exhausted title={t("search.exhausted")} />
      )}
      {kinds.map((kind) => (
        <KindField
          key={kind}
          kind={kind}
          found={found}
          canReveal={!isExpired(me)}
          reveals={reveals}
          voteOf={(value) => voting.voteOf({ kind, value })}
          onUpvote={(value) => voting.upvote({ kind, value })}
          onFlag={(value) => voting.flag({ kind, value })}
        />
      ))}
      {paid && (
        <Group component="footer" wrap="nowrap" gap="xs" className={classes.saved} role="presentation">
          <CircleCheck size={16} strokeWidth={1.75} aria-hidden="true" />
          <span>{t("search.saved")}</span>
          <Link to={`/dashboard/main/mycontacts?search=${encodeURIComponent(found.full_name)}`}>{t("search.showSaved")}</Link>
          <button type="button" className={classes.vcard} onClick={() => saveCard(found, url)}>
            <ContactRound size={16} strokeWidth={1.75} aria-hidden="true" />
            {t("search.vcard")}
          </button>
        </Group>
      )}
      <Suspense>{voting.dialog.values && <FlagDialog {...voting.dialog} />}</Suspense>
    </article>
  );
}

/** Reveals the kinds that the credits suffice for; without credits it opens the plans, as a single button does. */
function RevealAll({ kinds: hidden, reveals }: { kinds: Kind[]; reveals: Reveals }) {
  const credits = creditsOf(useAccount());
  const payable = hidden.filter((kind) => (credits?.[CREDIT_OF[kind]] ?? 0) > 0);
  const kinds = payable.length > 0 ? payable : hidden;
  return (
    <BusyButton
      className={classes.all}
      busy={kinds.every((kind) => reveals.busy[kind])}
      onClick={() => void reveals.reveal(kinds)}
      leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />}
    >
      {t("search.revealAll", { count: kinds.length })}
    </BusyButton>
  );
}

/** The visible details of the person, for an address book. */
function saveCard(found: Found, url: string): void {
  const of = (kind: Kind) => (isShown(found, kind) ? fieldOf(found, kind).values.map(({ text }) => text) : []);
  const card = vcard({ name: found.full_name, title: found.title, company: found.company, url: profileLink(url), phones: of("phone"), business: of("business"), personal: of("personal") });
  saveFile(new Blob([card], { type: "text/vcard" }), `${found.full_name}.vcf`);
}

/** Only paid values can have votes. */
function isShown(found: Found, kind: Kind): boolean {
  const { values, hidden } = fieldOf(found, kind);
  return values.length > 0 && !hidden;
}
