/** The consent to an application that asks to act for the user, such as an assistant at /mcp. */
import { Button, Checkbox, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "react-router";
import { useAccount } from "../../api/account";
import { type AccessRequest, accessRequest, useDecision } from "../../api/agents";
import { explain, problemOf } from "../../api/explain";
import { Fact } from "../../components/Fact";
import { Problem } from "../../components/Problem";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { FormAlert } from "../../components/ui/FormAlert";
import { Page } from "../../components/ui/Page";
import { scopeText } from "../../domain/scope";
import { t } from "../../lib/i18n.dashboard";
import { redirectTo } from "../../lib/redirect";
import classes from "./Authorize.module.css";

export function AuthorizeScreen() {
  const { search } = useLocation();
  const { data, error, isPending } = useQuery(accessRequest(search));

  if (isPending) return <p role="status">{t("loading")}</p>;
  if (error) return <Problem {...problemOf(error)} />;
  if (data.redirect) return <Wrong request={data} />;
  return <Consent request={data} search={search} />;
}

/** A request that is invalid. The address of an application that anyone can register is opened only by a click. */
function Wrong({ request }: { request: AccessRequest }) {
  return (
    <Page title={t("authorize.wrongTitle", { name: request.name })} lead={t("authorize.wrong")} width="doc">
      <Card>
        <Stack>
          <Stack component="dl" gap="sm" m={0} className={classes.facts}>
            <Fact term={t("authorize.answered")} value={request.answered} />
          </Stack>
          <Group align="stretch" gap="sm">
            <Button variant="default" onClick={() => redirectTo(request.redirect)}>
              {t("authorize.return")}
            </Button>
          </Group>
        </Stack>
      </Card>
    </Page>
  );
}

function Consent({ request, search }: { request: AccessRequest; search: string }) {
  const { email } = useAccount();
  const { name, host, answered } = request;
  const [scopes, setScopes] = useState(request.scopes);
  const decision = useDecision(search);
  const decide = (allow: boolean) => decision.mutate({ allow, scopes }, { onSuccess: ({ redirect }) => redirectTo(redirect) });

  return (
    <Page title={t("authorize.title", { name })} lead={t("authorize.lead", { name, email })} width="doc">
      <Card>
        <Stack>
          <FormAlert text={decision.error && explain(decision.error)} />
          {!host && <Banner tone="warn">{t("authorize.unverified")}</Banner>}
          <Stack component="dl" gap="sm" m={0} className={classes.facts}>
            {host && <Fact term={t("authorize.from")} value={host} />}
            <Fact term={t("authorize.answered")} value={answered} />
          </Stack>
          <Checkbox.Group label={t("authorize.may")} description={t("authorize.rights")} value={scopes} onChange={setScopes}>
            <Stack gap="xs" mt="xs">
              {request.scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={scopeText(scope)} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Group align="stretch" gap="sm">
            <BusyButton busy={decision.isPending || decision.isSuccess} disabled={scopes.length === 0} onClick={() => decide(true)}>
              {t("authorize.allow")}
            </BusyButton>
            <Button variant="default" disabled={decision.isPending || decision.isSuccess} onClick={() => decide(false)}>
              {t("authorize.cancel")}
            </Button>
          </Group>
        </Stack>
      </Card>
    </Page>
  );
}

export { AuthorizeScreen as Component };
