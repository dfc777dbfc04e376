/** States on every screen that this is a support view, with a link back to the desk. */
import { Button, Group } from "@mantine/core";
import { Eye } from "lucide-react";
import { useNavigate } from "react-router";
import { signOut, useMaybeAccount } from "../../api/account";
import { useMutation } from "../../api/mutation";
import { t } from "../../lib/i18n.desk";
import { deskResumed, sessionEnded } from "../../stores/session";

export function SupportBanner() {
  const me = useMaybeAccount();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: () => {
      if (!deskResumed()) sessionEnded();
      void navigate("/desk", { replace: true });
    },
  });
  return (
    <Group component="section" justify="center" gap="var(--s-1) var(--s-2)" py="xs" px="md" bg="var(--warn-soft)" c="var(--warn)" fz="sm" fw="var(--fw-500)" lh="sm" aria-label={t("view.label")}>
      <Eye size={16} strokeWidth={1.75} style={{ flex: "none" }} aria-hidden="true" />
      <span>{t("view.banner", { name: me?.name ?? "" })}</span>
      <Button size="compact-sm" variant="default" onClick={() => leave.mutate()}>
        {t("view.back")}
      </Button>
    </Group>
  );
}

export { SupportBanner as default };
