/** Asks users to prove that it is them, and runs a call with the proof. */
import { Button, Group, Stack } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { explain } from "../../api/explain";
import type { Proof } from "../../api/types";
import { t } from "../../lib/i18n.twostep";
import { ProofFields, useProof } from "./Proof";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";

interface Props<Response, Body extends object> {
  send: UseMutationResult<Response, Error, Body & Proof>;
  /** Sent with the proof. */
  body: Body;
  title: string;
  text: ReactNode;
  confirm: string;
  danger?: boolean;
  onClose: () => void;
  onDone: (response: Response) => void;
}

export function ProofDialog<Response, Body extends object>({ send, body, title, text, confirm, danger = false, onClose, onDone }: Props<Response, Body>) {
  const proof = useProof(send.error, send.reset);
  return (
    <Dialog opened onClose={onClose} title={title} size="sm">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const taken = proof.take();
          if (!taken) return;
          send.mutate(
            { ...body, ...taken },
            {
              onSuccess: (response) => {
                onClose();
                onDone(response);
              },
            },
          );
        }}
      >
        <Stack>
          <FormAlert text={send.error && !proof.shows ? explain(send.error) : null} />
          <p>{text}</p>
          <ProofFields proof={proof} autoFocus />
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
