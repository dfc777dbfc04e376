/** Language and time zone of this browser. */
import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.dashboard";
import { LANGUAGES, type Language, chooseLanguage, language } from "../../lib/language";
import { chooseTimeZone, chosenTimeZone, timeZones } from "../../lib/locale";
import classes from "./MyAccount.module.css";

const FROM_BROWSER = "";

function changeLanguage(name: Language): void {
  chooseLanguage(name);
  // Texts are read when scripts are loaded, so the page starts again.
  window.location.reload();
}

export function LanguageCard() {
  const [zone, setZone] = useState(chosenTimeZone() ?? FROM_BROWSER);

  const changeZone = (name: string) => {
    chooseTimeZone(name === FROM_BROWSER ? null : name);
    setZone(name);
  };
  return (
    <Card title={t("preferences.title")} text={t("preferences.text")}>
      <div className={`${classes.form} ${classes.pair}`}>
        <NativeSelect
          label={t("preferences.language")}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          value={language().name}
          onChange={(event) => changeLanguage(event.currentTarget.value as Language)}
        />
        <NativeSelect
          label={t("preferences.timeZone")}
          data={[{ value: FROM_BROWSER, label: t("preferences.fromBrowser") }, ...timeZones()]}
          value={zone}
          onChange={(event) => changeZone(event.currentTarget.value)}
        />
      </div>
    </Card>
  );
}
