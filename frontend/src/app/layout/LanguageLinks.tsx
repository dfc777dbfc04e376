/** The languages of the app, below the pages before the sign-in; later the choice is in My Account. */
import { t } from "../../lib/i18n";
import { LANGUAGES, type Language, language, showIn } from "../../lib/language";
import classes from "./LanguageLinks.module.css";

export function LanguageLinks() {
  return (
    <footer className={classes.foot}>
      <div role="group" aria-label={t("language")} className={classes.languages}>
        {Object.entries(LANGUAGES).map(([name, label]) => (
          <button key={name} type="button" lang={name} aria-pressed={name === language().name} className={classes.language} onClick={() => showIn(name as Language)}>
            {label}
          </button>
        ))}
      </div>
    </footer>
  );
}
