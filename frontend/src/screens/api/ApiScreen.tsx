/** The owner's API keys: list, create, edit, delete, try out, how to use. Without API access: the way to get it. */
import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { BookOpen, FlaskConical, KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { creditsOf, hasApi, useAccount } from "../../api/account";
import { apiKeys } from "../../api/apikeys";
import { apiUsage } from "../../api/usage";
import { problemOf } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.api";
import { monthNow, monthSpan } from "../../lib/months";
import classes from "./Api.module.css";
import { CreateKey } from "./CreateKey";
import { HowToUse } from "./HowToUse";
import { KeyStats } from "./KeyStats";
import { KeyTable } from "./KeyTable";
import { QuickStart } from "./QuickStart";
import { TryOut } from "./TryOut";

/** The balance of each kind that a test key shows. */
const TEST_CREDITS = 100;

type Dialog = "create" | "try" | "how" | null;

function Gate() {
  return (
    <Group component="section" gap="var(--s-4) var(--s-6)" className={classes.gate} aria-label={t("api.gate")}>
      <KeyRound size={24} strokeWidth={1.75} aria-hidden="true" />
      <div>
        <h2>{t("api.gate")}</h2>
        <p>{t("api.gateText")}</p>
      </div>
      <ButtonLink to="/dashboard/upgradeplan" role="button">{t("api.upgradeNow")}</ButtonLink>
    </Group>
  );
}

export function ApiScreen() {
  const me = useAccount();
  const list = useQuery(apiKeys);
  const [dialog, setDialog] = useState<Dialog>(null);
  const left = creditsOf(me)?.apicallcount ?? 0;
  const mayUse = hasApi(me);
  const close = () => setDialog(null);
  const keys = list.data?.resource ?? [];
  const usage = useQuery({ ...apiUsage({ ...monthSpan(monthNow()), clientid: me.clientid, search: "" }), enabled: mayUse });

  return (
    <Page
      title={t("api.title")}
      lead={t("api.text")}
      actions={
        <>
          <Button variant="default" leftSection={<BookOpen size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setDialog("how")}>
            {t("api.howTo")}
          </Button>
          {mayUse && (
            <Button variant="default" leftSection={<FlaskConical size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setDialog("try")}>
              {t("api.tryOut")}
            </Button>
          )}
          {mayUse && left > 0 && (
            <Button leftSection={<Plus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setDialog("create")}>
              {t("api.create")}
            </Button>
          )}
        </>
      }
    >
      {!mayUse && <Gate />}
      {mayUse && <KeyStats usage={usage.data} keys={list.data?.resource.length} left={left} />}
      <Stack component="section" gap="sm">
        <ListState
          list={list}
          rows={list.data?.resource}
          explain={problemOf}
          skeleton={{ lines: 2 }}
          empty={<Empty icon={<KeyRound size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("noDataFound")} text={t(mayUse ? "api.noneText" : "api.noneLocked")} card />}
        >
          {(rows) => <KeyTable keys={rows} usage={usage.data} />}
        </ListState>
      </Stack>
      {mayUse && <QuickStart apikey={keys[0]?.apikey ?? ""} left={keys[0]?.istest ? TEST_CREDITS : (creditsOf(me)?.bus_email_credits ?? 0)} />}
      <CreateKey opened={dialog === "create"} onClose={close} />
      <TryOut opened={dialog === "try"} apikey={keys[0]?.apikey ?? ""} onClose={close} />
      <HowToUse opened={dialog === "how"} apikey={keys[0]?.apikey ?? ""} onClose={close} />
    </Page>
  );
}

export { ApiScreen as Component };
