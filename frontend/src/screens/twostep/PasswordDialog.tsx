/** Asks for the password, and runs a call with it. */
import { Button, Group, Stack } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";
import { explain, fieldErrors } from "../../api/explain";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.twostep";
import { OwnPassword } from "./OwnPassword";

interface Props<Answer> {
  send: UseMutationResult<Answer, Error, { password?: string }>;
  title: string;
  text: string;
  confirm: string;
  danger?: boolean;
  onClose: () => void;
  onDone: (answer: Answer) => void;
}

export function PasswordDialog<Answer>({ send, title, text, confirm, danger = false, onClose, onDone }: Props<Answer>) {
  const [password, setPassword] = useState("");
  const rejected = fieldErrors(send.error)["password"];
  return (
    <Dialog opened onClose={onClose} title={title} size="sm">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate(
            { password },
            {
              onSuccess: (answer) => {
                onClose();
                onDone(answer);
              },
            },
          );
        }}
      >
        <Stack>
          <FormAlert text={send.error && !rejected ? explain(send.error) : null} />
          <p>{text}</p>
          <OwnPassword
            value={password}
            error={rejected}
            onChange={(entered) => {
              setPassword(entered);
              send.reset();
            }}
            autoFocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("cancel")}
            </Button>
            <BusyButton type="submit" color={danger ? "red" : undefined} busy={send.isPending}>
              {confirm}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
