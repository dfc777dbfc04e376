/** Calls the look-up API as a customer's program would, and shows the raw response. */
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { creditsOf, useAccount } from "../../api/account";
import { type LookupType, useLookup } from "../../api/apikeys";
import { profileHost } from "../../api/config";
import { explain } from "../../api/explain";
import { BusyButton } from "../../components/ui/BusyButton";
import { Code } from "../../components/ui/Code";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.api";
import { fromHost } from "../../domain/profileurl";
import { CREDIT_OF, LOOKUP_TYPE, KINDS, type Kind } from "../../domain/reveal";
import { isBlank } from "../../lib/validate";
import classes from "./Api.module.css";

interface Props {
  apikey: string;
  opened: boolean;
  onClose: () => void;
}

export function TryOut({ apikey, opened, onClose }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={t("api.tryTitle")}>
      <TryForm apikey={apikey} />
    </Dialog>
  );
}

function TryForm({ apikey }: { apikey: string }) {
  const [key, setKey] = useState(apikey);
  const [url, setUrl] = useState("");
  const [incomplete, setIncomplete] = useState(false);
  const credits = creditsOf(useAccount());
  const lookup = useLookup();

  const fetchKind = (type: LookupType) => {
    const linkedinurl = fromHost(url, profileHost());
    const missing = isBlank(key) || isBlank(linkedinurl);
    setIncomplete(missing);
    if (!missing) lookup.mutate({ linkedinurl, apikey: key.trim(), type });
  };
  const problem = incomplete ? t("api.fillAll") : lookup.error && explain(lookup.error);

  return (
    <Stack>
      <FormAlert text={problem} />
      <TextInput label={t("api.key")} value={key} onChange={(event) => setKey(event.currentTarget.value)} autoComplete="off" spellCheck={false} />
      <TextInput
        label={t("api.linkedinurl")}
        placeholder={t("search.urlPlaceholder", { host: profileHost() })}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className={classes.fetches}>
        {KINDS.map((kind) => (
          <FetchButton
            key={kind}
            kind={kind}
            canPay={(credits?.[CREDIT_OF[kind]] ?? 0) > 0}
            busy={lookup.isPending && lookup.variables.type === LOOKUP_TYPE[kind]}
            onFetch={fetchKind}
          />
        ))}
      </div>
      <Code code={lookup.data && !problem ? JSON.stringify(lookup.data, null, 2) : t("api.answerText")} head={t("api.answer")} label={t("api.answer")} />
    </Stack>
  );
}

interface FetchProps {
  kind: Kind;
  canPay: boolean;
  busy: boolean;
  onFetch: (type: LookupType) => void;
}

function FetchButton({ kind, canPay, busy, onFetch }: FetchProps) {
  const type = LOOKUP_TYPE[kind];
  const name = t(`lookup.${type}`);
  return (
    <Group wrap="nowrap" justify="space-between" gap="xs" className={classes.fetch}>
      <span>{name}</span>
      {canPay ? (
        <BusyButton size="compact-md" variant="default" busy={busy} aria-label={t("api.fetchOf", { kind: name })} onClick={() => onFetch(type)}>
          {t("api.fetch")}
        </BusyButton>
      ) : (
        <Button
          component={Link}
          to="/dashboard/upgradeplan"
          role="button"
          size="compact-md"
          variant="light"
          aria-label={t("api.upgradeOf", { kind: name })}
        >
          {t("api.upgrade")}
        </Button>
      )}
    </Group>
  );
}
