/** The language of the user, also used for mails, and the time zone of this browser. */
import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { explain } from "../../api/explain";
import { useSaveProfile } from "../../api/profile";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.dashboard";
import { LANGUAGES, type Language, language, showIn } from "../../lib/language";
import { chooseTimeZone, chosenTimeZone, timeZones } from "../../lib/locale";
import classes from "../../components/ui/Pair.module.css";

const FROM_BROWSER = "";

export function LanguageCard() {
  const { appuserid, support } = useAccount();
  const save = useSaveProfile();
  const [zone, setZone] = useState(chosenTimeZone() ?? FROM_BROWSER);

  const changeLanguage = (name: Language) => {
    // Support views the account in its own language.
    if (support) return showIn(name);
    save.mutate({ appuserid, language: name }, { onSuccess: () => showIn(name), onError: (error) => toast(explain(error), "bad") });
  };
  const changeZone = (name: string) => {
    chooseTimeZone(name === FROM_BROWSER ? null : name);
    setZone(name);
  };
  return (
    <Card title={t("preferences.title")} text={t("preferences.text")}>
      <div className={classes.pair}>
        <NativeSelect
          label={t("preferences.language")}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          value={language().name}
          disabled={save.isPending}
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
