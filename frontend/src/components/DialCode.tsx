/** A QR code that dials the number. Import it lazily, because it is rarely opened. */
import { Stack } from "@mantine/core";
import { t } from "../lib/i18n.dashboard";
import { QrCode } from "./QrCode";

export default function DialCode({ value }: { value: string }) {
  return (
    <Stack component="figure" align="center" gap="xs" maw={168} m={0} c="dimmed" fz="xs" lh="xs" ta="center">
      <QrCode value={`tel:${value}`} label={t("search.dialCode", { value })} />
      <figcaption>{t("search.dialHint")}</figcaption>
    </Stack>
  );
}
