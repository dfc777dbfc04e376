/** The profile URL and what is wanted of it. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { Link2, Search } from "lucide-react";
import { useId, useState } from "react";
import { creditsOf, useAccount } from "../../api/account";
import { profileHost } from "../../api/config";
import { t } from "../../lib/i18n.dashboard";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";
import classes from "./Search.module.css";

export type Boxes = Record<Kind, boolean>;

export interface SearchErrors {
  url?: string | undefined;
  options?: string | undefined;
}

interface Props {
  boxes: Boxes;
  errors: SearchErrors;
  onTick: (boxes: Boxes) => void;
  onSearch: (url: string) => void;
  onType: () => void;
}

export function SearchForm({ boxes, errors, onTick, onSearch, onType }: Props) {
  const hint = useId();
  const [url, setUrl] = useState("");
  const credits = creditsOf(useAccount());
  const ready = KINDS.some((kind) => boxes[kind]);

  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(url);
      }}
    >
      <TextInput
        label={t("search.url")}
        placeholder={t("search.urlPlaceholder", { host: profileHost() })}
        leftSection={<Link2 size={17} aria-hidden="true" />}
        value={url}
        error={errors.url}
        autoComplete="off"
        spellCheck={false}
        // A browser does not submit a form with a disabled button.
        onKeyDown={(event) => {
          if (event.key === "Enter" && !ready) onSearch(url);
        }}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          onType();
        }}
      />
      <fieldset className={classes.options} aria-describedby={errors.options && hint} aria-invalid={errors.options ? true : undefined}>
        <legend>{t("search.options")}</legend>
        {KINDS.map((kind) => (
          <div key={kind} className={classes.option}>
            <Checkbox
              label={t(`kind.${kind}`)}
              checked={boxes[kind]}
              onChange={(event) => onTick({ ...boxes, [kind]: event.currentTarget.checked })}
            />
            <span className={classes.left}>{t("search.credits", { count: credits?.[CREDIT_OF[kind]] ?? 0 })}</span>
          </div>
        ))}
        {errors.options && (
          <p id={hint} className={classes.wrong} role="alert">
            {errors.options}
          </p>
        )}
      </fieldset>
      <Button
        type="submit"
        size="md"
        fullWidth
        disabled={!ready}
        leftSection={<Search size={17} aria-hidden="true" />}
      >
        {t("search.submit")}
      </Button>
    </form>
  );
}
