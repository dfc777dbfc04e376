/** The second step of signing up: details of the company, or skip. Continues to the app or to the verification page. */
import { Button, Group, Loader } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate } from "react-router";
import { account } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explain, fieldErrors } from "../../api/explain";
import { call } from "../../api/client";
import { useMutation } from "../../api/mutation";
import { runScript } from "../../api/scripts";
import { tablePath } from "../../api/tables";
import type { Account } from "../../api/types";
import { AuthForm } from "../../components/AuthForm";
import { COUNT_FIELDS, CompanyFields, type CompanyValues, NO_COMPANY, companyRecord, companyRules } from "../../components/CompanyFields";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n";
import { useIsLoggedIn } from "../../stores/session";
import { unverifiedMet } from "../../stores/unverified";

export function TellUsMoreScreen() {
  const isLoggedIn = useIsLoggedIn();
  const me = useQuery({ ...account, enabled: isLoggedIn });

  if (!isLoggedIn) return <Navigate to="/login" replace />;
  if (me.isError) return <AuthForm title={t("tellus.title")} alert={explain(me.error)} />;
  return me.data ? <Form me={me.data} /> : <Loader />;
}

function Form({ me }: { me: Account }) {
  const finish = useFinish(me);
  const form = useForm({ initialValues: NO_COMPANY, validate: companyRules, validateInputOnChange: COUNT_FIELDS });
  const { appuserid, name, clientid } = me;

  const save = (values: CompanyValues) =>
    finish.mutate(
      { appuserid, name, clientid, role: "client", ...companyRecord(values) },
      { onError: (error) => form.setErrors(fieldErrors(error)) },
    );

  return (
    <AuthForm title={t("tellus.title")} lead={t("tellus.lead")} alert={finish.error && explain(finish.error)} onSubmit={form.onSubmit(save)}>
      <CompanyFields form={form} />
      <Group grow>
        <Button size="md" variant="subtle" color="gray" disabled={finish.isPending} onClick={() => finish.mutate(null)}>
          {t("tellus.skip")}
        </Button>
        <BusyButton size="md" type="submit" busy={finish.isPending}>
          {t("submit")}
        </BusyButton>
      </Group>
    </AuthForm>
  );
}

/** Saves the record, if there is one, sends the plan's invoice, and continues. */
function useFinish(me: Account) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (record: object | null) => {
      if (record) {
        await call("PATCH", tablePath("appuser"), { body: { resource: [record] } });
        await runScript("sendinvoice", { clientid: me.clientid }).catch(unlessTooOften);
      }
      if (!me.isverified) await runScript("sendverificationemail", { email: me.email }).catch(unlessTooOften);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: account.queryKey });
      if (!me.isverified) unverifiedMet(me);
      void navigate(me.isverified ? "/dashboard/main/dashboardmain" : "/verifyemail", { replace: true });
    },
  });
}

/** A second request within a minute: the first mail has been sent, so this is not an error. */
function unlessTooOften(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 429)) throw error;
}

export { TellUsMoreScreen as Component };
