/** The first steps of a new account, instead of zeros. */
import { Text } from "@mantine/core";
import { Check, Download, FileSpreadsheet, Search, UserPlus } from "lucide-react";
import { Link } from "react-router";
import { creditsOf, isOwner, useAccount } from "../../api/account";
import { t } from "../../lib/i18n.dashboard";
import { EXTENSION_URL } from "../../lib/links";
import { useRecent } from "../../stores/recent";
import classes from "./DashboardMain.module.css";

export default function Checklist({ counters }: { counters: Record<string, number> }) {
  const me = useAccount();
  // The seat of the owner is not one of them.
  const seats = creditsOf(me)?.seatcount ?? 0;
  const looked = useRecent(me.appuserid).length > 0;
  const steps = [
    { key: "search", icon: Search, text: t("home.stepSearch"), hint: t("home.stepSearchText"), to: "/dashboard/main/search", done: looked },
    { key: "extension", icon: Download, text: t("home.stepExtension"), hint: t("home.stepExtensionText"), href: EXTENSION_URL, done: false },
    isOwner(me) && {
      key: "invite",
      icon: UserPlus,
      text: t("home.stepInvite"),
      hint: t(seats > 0 ? "home.stepInviteText" : "home.seatless"),
      to: seats > 0 ? "/dashboard/settings/manageseats" : "/dashboard/upgradeplan",
      done: (counters["members"] ?? 0) > 0,
    },
    { key: "export", icon: FileSpreadsheet, text: t("home.stepExport"), hint: t("home.stepExportText"), to: "/dashboard/main/mycontacts", done: false },
  ].filter((step) => step !== false);
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.key;

  return (
    <section className={classes.card} aria-label={t("home.startTitle")}>
      <header role="presentation">
        <h2>{t("home.startTitle")}</h2>
        <Text c="dimmed" size="sm">{t("home.startText", { done, count: steps.length })}</Text>
      </header>
      <ol className={classes.steps}>
        {steps.map(({ key, icon: Icon, text, hint, to, href, done: isDone }, index) => {
          const inside = (
            <>
              <span className={classes.stepIcon} data-done={isDone || undefined} data-next={key === next || undefined}>
                {isDone ? <Check size={20} strokeWidth={1.75} aria-label={t("home.stepDone")} role="img" /> : <span aria-hidden="true">{index + 1}</span>}
              </span>
              <span className={classes.who}>
                <strong>{text}</strong>
                <span>{hint}</span>
              </span>
              <Icon color="var(--text-3)" style={{ flex: "none" }} size={20} strokeWidth={1.75} aria-hidden="true" />
            </>
          );
          return (
            <li key={key}>
              {to ? (
                <Link className={classes.line} to={to}>
                  {inside}
                </Link>
              ) : (
                <a className={classes.line} href={href} download>
                  {inside}
                </a>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
