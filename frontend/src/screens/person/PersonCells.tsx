/** The cells of a person in every list: name and title, and the values that were revealed with the kinds that are left. */
import { Box, Group } from "@mantine/core";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { Known } from "../../api/people";
import type { UserContact } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { PhoneText } from "../../components/PhoneText";
import { KIND_ICONS } from "../../components/kindIcons";
import { valuesOf } from "../../domain/contacts";
import { KINDS, type Kind, REVEAL_TYPE } from "../../domain/reveal";
import { countryName } from "../../lib/countryname";
import { briefDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.people";
import classes from "./PersonCells.module.css";

interface PersonProps {
  name: string;
  about: string;
  onOpen: () => void;
}

export function PersonCell({ name, about, onOpen }: PersonProps) {
  return (
    <Group component="span" wrap="nowrap" gap="xs" className={classes.person}>
      <NameAvatar name={name} size={24} drawn />
      <span>
        <button type="button" onClick={onOpen}>
          {name}
        </button>
        <span title={about}>{about}</span>
      </span>
    </Group>
  );
}

/** Two lines of a cell; the second one explains the first. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={classes.two}>
      <span>{first}</span>
      <span>{second}</span>
    </span>
  );
}

/** A person and their data on a phone: side by side until there are values. */
export const PhoneCells = ({ children }: { children: ReactNode }) => <span className={classes.phone}>{children}</span>;

export const placeOf = ({ city, country }: Pick<Known, "city" | "country">): string => [city, countryName(country)].filter(Boolean).join(", ");

interface ValuesProps {
  contact: UserContact | undefined;
  /** Without it, only the values are shown. */
  row?: Known | undefined;
  /** The values have just been revealed. */
  fresh?: boolean;
}

/** The first value of each kind that was revealed, then the kinds that exist and are still hidden. */
export function ValuesCell({ contact, row, fresh = false }: ValuesProps) {
  const { phones = [], business = [], personal = [] } = contact ? valuesOf(contact) : {};
  const shown = { phone: phones, business, personal };
  const left = KINDS.filter((kind) => shown[kind].length === 0 && row?.has.includes(REVEAL_TYPE[kind]));
  const some = KINDS.some((kind) => shown[kind].length > 0);
  return (
    <Group component="span" wrap="nowrap" gap="sm" py="var(--s-1)">
      {some && (
        <span className={classes.values} data-fresh={fresh || undefined}>
          {KINDS.filter((kind) => shown[kind].length > 0).map((kind) => (
            <Value key={kind} kind={kind} values={shown[kind]} />
          ))}
        </span>
      )}
      {left.length > 0 && (
        <Group component="span" display="inline-flex" align="stretch" wrap="nowrap" gap="var(--s-1)">
          {left.map((kind) => (
            <Hidden key={kind} kind={kind} row={row!} />
          ))}
        </Group>
      )}
      {!some && left.length === 0 && <Box component="span" c="var(--text-3)">–</Box>}
    </Group>
  );
}

function Value({ kind, values: [first = "", ...others] }: { kind: Kind; values: readonly string[] }) {
  const Icon = KIND_ICONS[kind];
  return (
    <Group component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.value} title={others.length > 0 ? [first, ...others].join(", ") : undefined}>
      <Icon size={14} strokeWidth={1.75} role="img" aria-label={t(`kind.${kind}`)} />
      <a href={`${kind === "phone" ? "tel" : "mailto"}:${first}`}>{kind === "phone" ? <PhoneText value={first} plain /> : first}</a>
      {others.length > 0 && <Box component="span" fz="xs">+{others.length}</Box>}
    </Group>
  );
}

/** A kind that a colleague has revealed has a tick, because it is free. */
function Hidden({ kind, row }: { kind: Kind; row: Known }) {
  const Icon = KIND_ICONS[kind];
  const owned = row.owned.includes(REVEAL_TYPE[kind]);
  const owner = row.owned_by?.find((one) => one.kind === REVEAL_TYPE[kind]);
  const by = owner ? t("search.revealedBy", { name: owner.name ?? t("search.byKey"), date: briefDayText(owner.on) }) : t("people.owned");
  const label = owned ? `${t(`kind.${kind}`)}: ${by}` : t(`kind.${kind}`);
  return (
    <span className={classes.kind} data-owned={owned || undefined} title={label}>
      <Icon size={16} strokeWidth={1.75} role="img" aria-label={label} />
      {owned && <Check size={10} strokeWidth={3} aria-hidden="true" />}
    </span>
  );
}

/** The value that C copies: the first number, or else the first address. */
export function bestOf(contact: UserContact | undefined): string | undefined {
  if (!contact) return undefined;
  const { phones, business, personal } = valuesOf(contact);
  return phones[0] ?? business[0] ?? personal[0];
}
