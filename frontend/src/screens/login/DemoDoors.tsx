/** Entrances to the demo without an address: as its owner or as a member of the team. */
import { Button } from "@mantine/core";
import { Crown, UserRound } from "lucide-react";
import { t } from "../../lib/i18n";
import classes from "./Login.module.css";

const PASSWORD = "Demo1234";
// Names of texts: the language is not known yet when the first script is loaded.
const DOORS = [
  { email: "owner@acme-demo.com", icon: Crown, text: "login.asOwner" },
  { email: "member@acme-demo.com", icon: UserRound, text: "login.asMember" },
] as const;

interface Props {
  busy: boolean;
  onEnter: (values: { email: string; password: string }) => void;
}

export function DemoDoors({ busy, onEnter }: Props) {
  return (
    <section className={classes.demo} aria-label={t("login.demo")}>
      <p>{t("login.demo")}</p>
      <div className={classes.social}>
        {DOORS.map(({ email, icon: Icon, text }) => (
          <Button
            key={email}
            type="button"
            variant="light"
            size="md"
            disabled={busy}
            leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => onEnter({ email, password: PASSWORD })}
          >
            {t(text)}
          </Button>
        ))}
      </div>
    </section>
  );
}
