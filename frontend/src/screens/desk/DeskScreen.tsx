/** The desk of staff: its frame, its navigation, and its pages below /desk. */
import { LogOut } from "lucide-react";
import { Button } from "@mantine/core";
import { NavLink, Route, Routes, useMatch, useNavigate } from "react-router";
import { signOut } from "../../api/account";
import { brand, useWork } from "../../api/desk";
import { useMutation } from "../../api/mutation";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import { sessionEnded } from "../../stores/session";
import { ClientPage } from "./ClientPage";
import classes from "./Desk.module.css";
import { EventsPage } from "./EventsPage";
import { FeedbackPage } from "./FeedbackPage";
import { FindPage } from "./FindPage";
import { QueuePage } from "./QueuePage";

const PAGES = [
  ["/desk", "nav.clients", null],
  ["/desk/feedback", "nav.feedback", "feedback"],
  ["/desk/queue", "nav.queue", "queue"],
  ["/desk/payments", "nav.payments", "payments"],
] as const;

export default function DeskScreen() {
  const navigate = useNavigate();
  const work = useWork();
  const ofClient = useMatch("/desk/client/:clientid") !== null;
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: () => {
      sessionEnded();
      void navigate("/login", { replace: true });
    },
  });
  return (
    <div className={classes.frame}>
      <header className={classes.head}>
        <Logo name={brand()} badge={t("title")} />
        <nav className={classes.nav} aria-label={t("nav.label")}>
          {PAGES.map(([to, name, kind]) => (
            <NavLink key={to} to={to} end={to === "/desk" && !ofClient} className={classes.link!}>
              {t(name)}
              {kind && Boolean(work[kind]) && <span className={classes.count}>{numberText(work[kind]!)}</span>}
            </NavLink>
          ))}
          <a href="/studio" className={classes.link}>
            {t("nav.studio")}
          </a>
        </nav>
        <Button
          variant="default"
          size="sm"
          leftSection={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => leave.mutate()}
        >
          {t("nav.signOut")}
        </Button>
      </header>
      <main id="content" tabIndex={-1} className={classes.content}>
        <Routes>
          <Route index element={<FindPage />} />
          <Route path="client/:clientid" element={<ClientPage />} />
          <Route path="feedback" element={<FeedbackPage />} />
          <Route path="queue" element={<QueuePage />} />
          <Route path="payments" element={<EventsPage />} />
          <Route path="*" element={<FindPage />} />
        </Routes>
      </main>
    </div>
  );
}
