/** Asks users to prove that it is them, and runs a call with the proof. */
import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { explain } from "../../api/explain";
import type { Proof } from "../../api/types";
import { ProofFields, useProof } from "./Proof";
import { FormButtons } from "../../components/ui/FormButtons";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";

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
      <Form
        onSubmit={() => {
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
        <FormAlert text={send.error && !proof.shows ? explain(send.error) : null} />
        <p>{text}</p>
        <ProofFields proof={proof} autoFocus />
        <FormButtons onClose={onClose} danger={danger} busy={send.isPending}>
          {confirm}
        </FormButtons>
      </Form>
    </Dialog>
  );
}
