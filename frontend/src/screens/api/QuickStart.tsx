/** The first call: a program with the user's own key, the output that it prints, and a link to more. */
import { Anchor } from "@mantine/core";
import { Check, ExternalLink } from "lucide-react";
import { type ReactNode, useState } from "react";
import { toast } from "../../../shared/toasts";
import { config, profileHost } from "../../api/config";
import { Code } from "../../components/ui/Code";
import { Segment } from "../../components/ui/Segment";
import { LANGUAGES, type Language, answer, snippet, testPerson } from "../../domain/snippets";
import { t } from "../../lib/i18n.api";
import classes from "./Api.module.css";

/** `left` is the balance that the response names. */
export function QuickStart({ apikey, left }: { apikey: string; left: number }) {
  const [language, setLanguage] = useState<Language>("curl");
  const origin = config().publicurl || window.location.origin;
  const linkedinurl = testPerson(profileHost());
  const code = snippet(language, { origin, apikey: apikey || "YOUR_API_KEY", linkedinurl });
  return (
    <section className={classes.quick} aria-label={t("api.quick")}>
      <div>
        <h2>{t("api.quick")}</h2>
        <ol className={classes.steps}>
          <Step at={1} title={t("api.stepKey")} text={apikey ? t("api.stepKeyDone") : t("api.quickNone")} done={apikey !== ""} />
          <Step at={2} title={t("api.stepCall")} text={t("api.stepCallText")} />
          <Step at={3} title={t("api.stepRead")} text={t("api.stepReadText")} />
        </ol>
        <Anchor href="/api/docs#getKeylookup" target="_blank" rel="noopener" fw={500}>
          {t("api.reference")} <ExternalLink size={14} strokeWidth={1.75} aria-hidden="true" />
        </Anchor>
      </div>
      <div className={classes.programs}>
        <Segment label={t("api.howLanguage")} options={LANGUAGES} value={language} onChange={setLanguage} />
        <Code code={code} head={t("api.request")} copy={t("api.copyQuick")} onCopied={() => toast(t("copied"))} />
        <Code code={answer(linkedinurl, left)} head={t("api.answerOk")} />
      </div>
    </section>
  );
}

interface StepProps {
  at: number;
  title: string;
  text: ReactNode;
  done?: boolean;
}

function Step({ at, title, text, done = false }: StepProps) {
  return (
    <li>
      <span className={classes.stepMark} data-done={done || undefined}>
        {done ? <Check size={14} strokeWidth={2} role="img" aria-label={t("home.stepDone")} /> : at}
      </span>
      <span>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
    </li>
  );
}
