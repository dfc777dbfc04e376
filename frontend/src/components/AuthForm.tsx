/**
 * The frame of a form before sign-in: heading, sentence, form-level error, fields, a line below. A field error moves
 * the focus to its field, so that the reason is read out.
 */
import { Stack, Text } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Title } from "./Title";
import { FormAlert } from "./ui/FormAlert";
import { Form } from "./ui/Form";

interface Props {
  title: string;
  lead?: ReactNode;
  alert?: string | null;
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  children?: ReactNode;
  foot?: ReactNode;
}

export function AuthForm({ title, lead, alert, onSubmit, children, foot }: Props) {
  const inside = (
    <>
      <Title text={title} />
      <div>
        <h1>{title}</h1>
        {lead && <Text c="dimmed" mt="xs">{lead}</Text>}
      </div>
      <FormAlert text={alert} />
      {children}
      {foot && <Text inherit c="dimmed" ta="center">{foot}</Text>}
    </>
  );
  if (!onSubmit) return <Stack>{inside}</Stack>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget;
    onSubmit(event);
    requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  return (
    <Form onSubmit={submit}>
      {inside}
    </Form>
  );
}
