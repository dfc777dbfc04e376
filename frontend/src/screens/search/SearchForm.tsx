/** The profile URL and what is wanted of it. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { Link2, Search } from "lucide-react";
import { useState } from "react";
import { creditsOf, useAccount } from "../../api/account";
import { profileHost } from "../../api/config";
import { t } from "../../lib/i18n";
import { CREDIT_OF, KINDS, type Kind } from "../../lib/reveal";
import classes from "./Search.module.css";

export type Boxes = Record<Kind, boolean>;

interface Props {
  boxes: Boxes;
  error: string | null;
  onTick: (boxes: Boxes) => void;
  onSearch: (url: string) => void;
  onType: () => void;
}

export function SearchForm({ boxes, error, onTick, onSearch, onType }: Props) {
  const [url, setUrl] = useState("");
  const credits = creditsOf(useAccount());

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
        error={error}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          onType();
        }}
      />
      <fieldset className={classes.options}>
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
      </fieldset>
      <Button
        type="submit"
        size="md"
        fullWidth
        disabled={!KINDS.some((kind) => boxes[kind])}
        leftSection={<Search size={17} aria-hidden="true" />}
      >
        {t("search.submit")}
      </Button>
    </form>
  );
}
