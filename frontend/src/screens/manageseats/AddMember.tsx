/** Invites a member. The server generates and mails a temporary password. */
import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { toast } from "../../../shared/toasts";
import { ApiError, EmailTaken, NotBusiness } from "../../api/errors";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { requireBusinessEmail, requireFreeEmail } from "../../api/signup";
import { useAddMember } from "../../api/team";
import { FormButtons } from "../../components/ui/FormButtons";
import { Dialog } from "../../components/ui/Dialog";
import { Form } from "../../components/ui/Form";
import { EMAIL_INPUT } from "../../lib/emailinput";
import { t } from "../../lib/i18n.dashboard";
import { isBlank, isEmail } from "../../lib/validate";

const EMPTY = { firstname: "", lastname: "", email: "", role: "member" };
const ROLES = [
  { value: "member", label: t("seats.roleMember") },
  { value: "admin", label: t("seats.roleAdmin") },
];

export function AddMember({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t("seats.addTitle")}>
      <MemberForm onClose={onClose} />
    </Dialog>
  );
}

function MemberForm({ onClose }: { onClose: () => void }) {
  const add = useAddMember();
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      firstname: (text) => (isBlank(text) ? t("seats.firstnameMissing") : null),
      lastname: (text) => (isBlank(text) ? t("seats.lastnameMissing") : null),
      email: (text) => (isBlank(text) ? t("seats.emailMissing") : isEmail(text) ? null : t("field.emailInvalid")),
      role: (role) => (role ? null : t("seats.roleMissing")),
    },
  });
  const invite = useMutation({
    mutationFn: async (values: typeof EMPTY) => {
      const email = values.email.trim().toLowerCase();
      const [firstname, lastname] = [values.firstname.trim(), values.lastname.trim()];
      await requireBusinessEmail(email);
      await requireFreeEmail(email);
      await add.mutateAsync({ firstname, lastname, name: `${firstname} ${lastname}`, email, role: values.role });
    },
    onSuccess: () => {
      toast(t("seats.addDone"));
      onClose();
    },
    onError: (error) => {
      const rejected = emailError(error);
      if (rejected) form.setFieldError("email", rejected);
      else toast(reasonOf(error), "bad");
    },
  });

  return (
    <Form onSubmit={form.onSubmit((values) => invite.mutate(values))}>
      <TextInput label={t("field.firstname")} data-autofocus {...form.getInputProps("firstname")} />
      <TextInput label={t("field.lastname")} {...form.getInputProps("lastname")} />
      <TextInput label={t("field.email")} {...EMAIL_INPUT} autoComplete="off" {...form.getInputProps("email")} />
      <NativeSelect label={t("seats.role")} data={ROLES} {...form.getInputProps("role")} />
      <FormButtons onClose={onClose} busy={invite.isPending}>
        {t("seats.invite")}
      </FormButtons>
    </Form>
  );
}

function emailError(error: unknown): string | null {
  if (error instanceof NotBusiness) return t("seats.businessOnly");
  const isTaken = error instanceof EmailTaken || (error instanceof ApiError && error.reason === "email_exists");
  return isTaken ? t("seats.emailTaken") : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return t("seats.addFailed");
  if (error.reason === "no_plan") return t("seats.addPlan");
  return [0, 409, 422, 429].includes(error.status) ? explain(error) : t("seats.addFailed");
}
