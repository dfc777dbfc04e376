/** Where a provider sends its window back to. It passes the answer on and closes itself. */
import { Loader } from "@mantine/core";
import { useEffect } from "react";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n";
import { answerFromPopup } from "../../lib/popup";
import classes from "./SocialCallback.module.css";

export function SocialCallbackScreen() {
  useEffect(() => answerFromPopup(window.location.search), []);
  return (
    <main id="content" className={classes.page}>
      <Title text={t("login.title")} />
      <Loader size="sm" />
      <p role="status">{t("login.finishing")}</p>
    </main>
  );
}

export { SocialCallbackScreen as Component };
