/** Name and e-mail; for the owner also the company, its tax number and invoice address. */
import { Anchor, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { toast } from "../../../shared/toasts";
import { isOwner } from "../../api/account";
import { explain, fieldErrors } from "../../api/explain";
import { useSaveProfile } from "../../api/profile";
import type { Account } from "../../api/types";
import { COUNT_FIELDS, CompanyFields, type CompanyValues, companyRecord, countError, phoneError } from "../../components/CompanyFields";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.dashboard";
import { isBlank } from "../../lib/validate";
import { bottomBar } from "../../stores/bottombar";
import classes from "./MyAccount.module.css";
import pair from "../../components/ui/Pair.module.css";

interface Values extends CompanyValues {
  firstname: string;
  lastname: string;
  taxid: string;
  billingaddress: string;
}

const LONGEST_ADDRESS = 200;

function valuesOf({ name, firstname, lastname, client_by_clientid: client }: Account): Values {
  const [first = "", ...rest] = name.split(/\s+/);
  return {
    firstname: firstname ?? first,
    lastname: lastname ?? rest.join(" "),
    companyname: client.companyname ?? "",
    phonenumber: client.phonenumber ? `+${client.phonenumber}` : "",
    country: client.country ?? "",
    salespeoplecount: String(client.salespeoplecount ?? ""),
    requiredleadcount: String(client.requiredleadcount ?? ""),
    department: client.department ?? "",
    taxid: client.taxid ?? "",
    billingaddress: client.billingaddress ?? "",
  };
}

interface Props {
  me: Account;
  /** The address cannot be edited here; it is changed in a separate dialog. */
  onChangeEmail: () => void;
}

export function ProfileForm({ me, onChangeEmail }: Props) {
  const owns = isOwner(me);
  const save = useSaveProfile();
  const form = useForm<Values>({
    initialValues: valuesOf(me),
    validateInputOnChange: COUNT_FIELDS,
    validate: {
      firstname: (text) => (isBlank(text) ? t("field.firstnameMissing") : null),
      lastname: (text) => (isBlank(text) ? t("field.lastnameMissing") : null),
      phonenumber: (text) => (owns && text ? phoneError(text) : null),
      salespeoplecount: countError,
      requiredleadcount: countError,
      billingaddress: (text) => (text.length > LONGEST_ADDRESS ? t("account.addressLong") : null),
    },
  });
  const submit = ({ firstname, lastname, taxid, billingaddress, ...company }: Values) => {
    const names = { firstname: firstname.trim(), lastname: lastname.trim(), name: `${firstname.trim()} ${lastname.trim()}` };
    const billing = { taxid: taxid.trim(), billingaddress: billingaddress.trim() };
    save.mutate(
      { appuserid: me.appuserid, ...names, ...(owns && { ...companyRecord(company), ...billing }) },
      {
        onSuccess: () => {
          form.resetDirty();
          toast(t("account.saved"));
        },
        onError: (error) => {
          form.setErrors(fieldErrors(error));
          toast(explain(error), "bad");
        },
      },
    );
  };

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Card title={t("account.title")}>
        <Stack>
          <div className={pair.pair}>
            <TextInput label={t("field.firstname")} autoComplete="given-name" {...form.getInputProps("firstname")} />
            <TextInput label={t("field.lastname")} autoComplete="family-name" {...form.getInputProps("lastname")} />
          </div>
          <div>
            <TextInput label={t("field.email")} value={me.email} readOnly />
            <Anchor component="button" type="button" size="sm" mt="xs" onClick={onChangeEmail}>
              {t("account.changeEmail")}
            </Anchor>
          </div>
        </Stack>
      </Card>
      {owns && (
        <Card title={t("account.company")} text={t("account.companyText")}>
          <Stack>
            <CompanyFields form={form as never} />
            <TextInput label={t("company.taxid")} maxLength={50} {...form.getInputProps("taxid")} />
            <Textarea
              label={t("company.billingaddress")}
              rows={3}
              maxLength={LONGEST_ADDRESS}
              autoComplete="street-address"
              {...form.getInputProps("billingaddress")}
            />
          </Stack>
        </Card>
      )}
      <div ref={form.isDirty() ? bottomBar : undefined} className={classes.save} data-dirty={form.isDirty() || undefined}>
        <span role="status">{form.isDirty() ? t("account.unsaved") : ""}</span>
        <BusyButton type="submit" variant={form.isDirty() ? "filled" : "default"} busy={save.isPending}>
          {t("save")}
        </BusyButton>
      </div>
    </form>
  );
}
