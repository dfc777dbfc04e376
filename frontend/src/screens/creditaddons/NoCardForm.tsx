/** The card form cannot be shown: try again, or pay on the provider's own page. */
import { Button, Group, Stack } from "@mantine/core";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.dashboard";
import classes from "./CreditAddons.module.css";

export function NoCardForm({ onClose, retry }: { onClose: () => void; retry?: () => void }) {
  return (
    <Stack role="alert">
      <FormAlert text={t("addons.formFailed")} />
      <Group component="p" align="flex-start" wrap="nowrap" gap="xs" c="dimmed" fz="sm" lh="sm" className={classes.safe}>{t("addons.formFailedText")}</Group>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("cancel")}
        </Button>
        <ButtonLink variant="default" to="/dashboard/upgradeplan" role="button">{t("addons.hosted")}</ButtonLink>
        {retry && <Button onClick={retry}>{t("tryAgain")}</Button>}
      </Group>
    </Stack>
  );
}
