/** The main input of the first screen: accepts a profile, several profiles or a name. */
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { Search } from "lucide-react";
import { useState } from "react";
import { config, profileHost } from "../../api/config";
import { Examples } from "../../components/Examples";
import { Form } from "../../components/ui/Form";
import { useAsk } from "../../api/ask";
import { readAsk } from "../../domain/ask";
import { t } from "../../lib/i18n.dashboard";

export function AskCard({ isNew }: { isNew: boolean }) {
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState(false);
  const ask = useAsk();
  return (
    <Stack gap="xs">
      <Form onSubmit={() => setWrong(!ask(typed))}>
        <Group align="flex-start" wrap="nowrap" gap="xs">
          <TextInput
            size="lg"
            flex={1} miw={0}
            label={t("home.ask")}
            labelProps={{ className: "visually-hidden" }}
            placeholder={t("home.askPlaceholder")}
            leftSection={<Search size={20} strokeWidth={1.75} aria-hidden="true" />}
            value={typed}
            error={wrong ? t("search.wrongUrl") : null}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setWrong(false);
            }}
            onPaste={(event) => {
              const text = event.clipboardData.getData("text");
              // A one-line input would drop line breaks.
              if (readAsk(text, profileHost()).kind !== "profiles") return;
              event.preventDefault();
              ask(text);
            }}
          />
          <Button type="submit" size="lg" variant={isNew ? "filled" : "default"}>
            {t("search.submit")}
          </Button>
        </Group>
      </Form>
      <Text c="dimmed" size="sm">{t("search.buys")}</Text>
      {isNew && <Examples people={config().examples} />}
    </Stack>
  );
}
