/** Asks why a value is wrong, and for a correction or note if the reason requires one. */
import { Button, Group, NativeSelect, Radio, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { t } from "../lib/i18n.dashboard";
import { FEEDBACK_TYPE, type Kind } from "../domain/reveal";
import { usePhone } from "../lib/usephone";
import { digitsOf, isBlank, isEmail } from "../lib/validate";
import type { Votable, Vote } from "../domain/votes";
import classes from "./FlagDialog.module.css";
import { PhoneText } from "./PhoneText";
import { BusyButton } from "./ui/BusyButton";
import { Dialog } from "./ui/Dialog";
import { Form } from "./ui/Form";

export interface FlagAnswer {
  info: string;
  type: (typeof FEEDBACK_TYPE)[Kind];
  downvotereason: "invalid" | "outofservice" | "others";
  reasonnote: string;
}

interface Props {
  /** The values that can be flagged; null closes the dialog. */
  values: readonly Votable[] | null;
  busy: boolean;
  onClose: () => void;
  /** The user's current vote on a value. */
  voteOf: (one: Votable) => Vote | undefined;
  onSubmit: (answer: FlagAnswer) => void;
  /** Withdraws a report. */
  onWithdraw: (one: Pick<FlagAnswer, "info" | "type">) => void;
}

export default function FlagDialog({ values, ...rest }: Props) {
  const [first] = values ?? [];
  const title = values && values.length > 1 ? t("vote.title") : first?.kind === "phone" ? t("vote.titlePhone") : t("vote.titleEmail");
  return (
    <Dialog opened={values !== null} onClose={rest.onClose} title={title}>
      {values && first && <FlagForm values={values} {...rest} />}
    </Dialog>
  );
}

/** A phone number in groups, as text alone. */
const Digits = ({ value }: { value: string }) => usePhone(value).text;

const REASONS = {
  phone: [
    ["outofservice", t("vote.outofservice")],
    ["invalid", t("vote.invalidPhone")],
    ["others", t("vote.others")],
  ],
  email: [
    ["invalid", t("vote.invalidEmail")],
    ["others", t("vote.others")],
  ],
} as const;

type Reason = FlagAnswer["downvotereason"];

function FlagForm({ values, busy, voteOf, onClose, onSubmit, onWithdraw }: Props & { values: readonly Votable[] }) {
  // The reported value comes first, because it is the one to change or withdraw.
  const [index, setIndex] = useState(() => Math.max(0, values.findIndex((one) => voteOf(one) === "downvote")));
  const { kind, value } = values[index]!;
  const isReported = voteOf(values[index]!) === "downvote";
  const isPhone = kind === "phone";
  const reasons = REASONS[isPhone ? "phone" : "email"];
  const form = useForm({
    initialValues: { reason: reasons[0][0] as Reason, right: "", note: "" },
    validate: {
      right: (right, { reason }) => (reason === "invalid" ? rightError(right, isPhone) : null),
      note: (note, { reason }) => (reason === "others" && isBlank(note) ? t("vote.note") : null),
    },
  });

  const choose = (chosen: number) => {
    setIndex(chosen);
    form.setFieldValue("reason", REASONS[values[chosen]!.kind === "phone" ? "phone" : "email"][0][0]);
    form.clearErrors();
  };
  const submit = form.onSubmit(({ reason, right, note }) => {
    const typed = { invalid: right.trim(), others: note.trim(), outofservice: "" };
    onSubmit({ info: value, type: FEEDBACK_TYPE[kind], downvotereason: reason, reasonnote: typed[reason] });
  });

  return (
    <Form onSubmit={submit}>
      {values.length > 1 ? (
        <NativeSelect label={t("vote.which")} value={String(index)} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {values.map((one, at) => (
            <option key={one.value} value={at}>
              {one.kind === "phone" ? <Digits value={one.value} /> : one.value}
            </option>
          ))}
        </NativeSelect>
      ) : (
        <p className={classes.value}>{isPhone ? <PhoneText value={value} /> : value}</p>
      )}
      <Radio.Group label={t("vote.reason")} {...form.getInputProps("reason")}>
        <Stack gap="xs" mt="xs">
          {reasons.map(([reason, label]) => (
            <Radio key={reason} value={reason} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {form.values.reason === "invalid" && (
        <TextInput
          label={isPhone ? t("vote.phoneLabel") : t("vote.emailLabel")}
          placeholder={isPhone ? t("vote.rightPhone") : t("vote.rightEmail")}
          {...form.getInputProps("right")}
        />
      )}
      {form.values.reason === "others" && (
        <Textarea label={t("vote.noteLabel")} placeholder={t("vote.note")} rows={3} maxLength={500} {...form.getInputProps("note")} />
      )}
      <Text size="sm" c="dimmed">
        {t("vote.refund")}
      </Text>
      <Group justify="flex-end">
        {isReported && (
          <Button variant="subtle" mr="auto" disabled={busy} onClick={() => onWithdraw({ info: value, type: FEEDBACK_TYPE[kind] })}>
            {t("vote.withdraw")}
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          {t("cancel")}
        </Button>
        <BusyButton type="submit" busy={busy}>
          {t("submit")}
        </BusyButton>
      </Group>
    </Form>
  );
}

function rightError(right: string, isPhone: boolean): string | null {
  if (isBlank(right)) return isPhone ? t("vote.rightPhone") : t("vote.rightEmail");
  if (isPhone) return digitsOf(right).length < 5 ? t("vote.invalidPhoneText") : null;
  return isEmail(right) ? null : t("field.emailInvalid");
}
