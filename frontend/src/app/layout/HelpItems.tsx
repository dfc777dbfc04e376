/** The entries of the help menu. Fetched when the pointer or the focus comes near its button. */
import { Menu } from "@mantine/core";
import { BookOpen, Code, Keyboard, MessageCircle, ShieldCheck } from "lucide-react";
import { Link } from "react-router";
import { t } from "../../lib/i18n.dashboard";

export default function HelpItems({ onShortcuts }: { onShortcuts: () => void }) {
  return (
    <>
      <Menu.Item component="a" href="/docs/use/quick-start/" leftSection={<BookOpen size={16} strokeWidth={1.75} aria-hidden="true" />}>
        {t("menu.documentation")}
      </Menu.Item>
      <Menu.Item component="a" href="/api/docs" leftSection={<Code size={16} strokeWidth={1.75} aria-hidden="true" />}>
        {t("menu.apiDocs")}
      </Menu.Item>
      <Menu.Item leftSection={<Keyboard size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={onShortcuts}>
        {t("palette.shortcuts")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item component={Link} to="/dashboard/scheduledemo" leftSection={<MessageCircle size={16} strokeWidth={1.75} aria-hidden="true" />}>
        {t("menu.contact")}
      </Menu.Item>
      <Menu.Item component={Link} to="/dashboard/privacypolicy" leftSection={<ShieldCheck size={16} strokeWidth={1.75} aria-hidden="true" />}>
        {t("legal.privacy")}
      </Menu.Item>
    </>
  );
}
