/** The bar: a profile URL, and chips for the values to look up. */
import { Box, Group, Text, TextInput } from "@mantine/core";
import { Check, Link2, Search } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "react-router";
import { creditsOf, useAccount } from "../../api/account";
import { profileHost } from "../../api/config";
import { nameSearch } from "../../api/ask";
import { readAsk } from "../../domain/ask";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { KIND_ICONS } from "../../components/kindIcons";
import { BusyButton } from "../../components/ui/BusyButton";
import { Form } from "../../components/ui/Form";
import classes from "./Search.module.css";
import type { Boxes, SearchErrors } from "./useQuestion";

interface Props {
  /** The last search; Back changes it. */
  url: string;
  boxes: Boxes;
  errors: SearchErrors;
  /** Whether another button of the screen is the primary one now. */
  quiet: boolean;
  onTick: (boxes: Boxes) => void;
  onSearch: (url: string) => void;
  onType: () => void;
}

export function SearchForm({ url, boxes, errors, quiet, onTick, onSearch, onType }: Props) {
  const hint = useId();
  const [typed, setTyped] = useState(url);
  const [shown, setShown] = useState(url);
  const ready = KINDS.some((kind) => boxes[kind]);
  if (url !== shown) {
    setShown(url);
    if (url) setTyped((text) => (text.includes(url) ? text : url));
  }

  return (
    <Form gap="sm" onSubmit={() => onSearch(typed)}>
      <Group align="flex-start" wrap="nowrap" gap="xs" className={classes.bar}>
        <TextInput
          size="lg"
          flex={1} miw={0}
          label={t("search.url")}
          labelProps={{ className: "visually-hidden" }}
          placeholder={t("search.urlPlaceholder", { host: profileHost() })}
          leftSection={<Link2 size={20} strokeWidth={1.75} aria-hidden="true" />}
          value={typed}
          error={errors.url && <Wrong text={errors.url} name={errors.name} />}
          autoComplete="off"
          inputMode="url"
          spellCheck={false}
          // A browser does not submit a form with a disabled button.
          onKeyDown={(event) => {
            if (event.key === "Enter" && !ready) onSearch(typed);
          }}
          onPaste={(event) => {
            const text = event.clipboardData.getData("text");
            if (readAsk(text, profileHost()).kind !== "profiles") return;
            event.preventDefault();
            onSearch(text);
          }}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            onType();
          }}
        />
        <BusyButton type="submit" size="lg" variant={quiet ? "default" : "filled"} disabled={!ready} leftSection={<Search size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("search.submit")}
        </BusyButton>
      </Group>
      <fieldset className={classes.choice} aria-describedby={errors.options && hint} aria-invalid={errors.options ? true : undefined}>
        <legend className="visually-hidden">{t("search.options")}</legend>
        <Group gap="xs" className={classes.options}>
          {KINDS.map((kind) => (
            <Chip key={kind} kind={kind} checked={boxes[kind]} onChange={(on) => onTick({ ...boxes, [kind]: on })} />
          ))}
        </Group>
        {errors.options && (
          <Text id={hint} c="red" size="sm" role="alert">
            {errors.options}
          </Text>
        )}
      </fieldset>
    </Form>
  );
}

/** The problem with the address, and a link to search for a name. */
function Wrong({ text, name }: { text: string; name: string | undefined }) {
  return (
    <>
      {text}
      {name && (
        <>
          {" · "}
          <Box component={Link} to={nameSearch(name)} c="var(--accent)">
            {t("search.byName", { name })}
          </Box>
        </>
      )}
    </>
  );
}

function Chip({ kind, checked, onChange }: { kind: Kind; checked: boolean; onChange: (on: boolean) => void }) {
  const id = useId();
  const left = creditsOf(useAccount())?.[CREDIT_OF[kind]] ?? 0;
  const Icon = checked ? Check : KIND_ICONS[kind];
  return (
    <label className={classes.chip} data-selected={checked || undefined}>
      <input
        type="checkbox"
        checked={checked}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-left`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
      <span id={`${id}-name`}>{t(`kind.${kind}`)}</span>
      <span id={`${id}-left`} className={classes.left} data-empty={left === 0 || undefined}>
        {t("search.credits", { count: left })}
      </span>
    </label>
  );
}
