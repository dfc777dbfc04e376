/** Target of the link in the notice of a changed address: says what it undoes, and undoes it. */
import { Button, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, Link2Off, Undo2 } from "lucide-react";
import { useSearchParams } from "react-router";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { type Undo, undoOf, useUndo } from "../../api/proof";
import { Title } from "../../components/Title";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { FormAlert } from "../../components/ui/FormAlert";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n.twostep";

const ICON = { size: 24, strokeWidth: 1.75, "aria-hidden": true } as const;

export function UndoEmailScreen() {
  const [params] = useSearchParams();
  const code = params.get("code") ?? "";
  const found = useQuery(undoOf(code));
  if (found.isPending) {
    return (
      <div role="status">
        <Title text={t("undo.title")} />
        <Loader size="sm" aria-label={t("undo.title")} />
      </div>
    );
  }
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />;
  return found.data.state === "used" ? <Done undo={found.data} /> : <Ask undo={found.data} code={code} />;
}

function Ask({ undo, code }: { undo: Undo; code: string }) {
  const undoing = useUndo(code);
  return (
    <>
      <Title text={t("undo.title")} />
      <Outcome
        tone="waiting"
        icon={<Undo2 {...ICON} />}
        title={t("undo.title")}
        text={t(undo.changed ? "undo.changed" : "undo.asked")}
        facts={[
          [t("undo.old"), undo.email],
          [t("undo.new"), undo.newemail],
        ]}
        actions={
          <BusyButton busy={undoing.isPending} onClick={() => undoing.mutate(undefined)}>
            {t("undo.submit")}
          </BusyButton>
        }
      >
        <FormAlert text={undoing.isError ? explain(undoing.error) : null} />
        <p>{t("undo.effects")}</p>
      </Outcome>
    </>
  );
}

function Done({ undo }: { undo: Undo }) {
  return (
    <>
      <Title text={t("undo.done")} />
      <Outcome tone="good" icon={<CircleCheck {...ICON} />} title={t("undo.done")} text={t("undo.doneText", { email: undo.email })} actions={<ToLogin />} />
    </>
  );
}

function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const isLate = error instanceof ApiError && error.status === 404;
  const title = t(isLate ? "undo.expired" : "undo.failed");
  return (
    <>
      <Title text={title} />
      <Outcome
        tone="bad"
        icon={<Link2Off {...ICON} />}
        title={title}
        text={isLate ? t("undo.expiredText") : explain(error)}
        actions={isLate ? <ToLogin /> : <Button onClick={retry}>{t("undo.retry")}</Button>}
      />
    </>
  );
}

function ToLogin() {
  return <ButtonLink to="/login" role="button">{t("undo.login")}</ButtonLink>;
}

export { UndoEmailScreen as Component };
