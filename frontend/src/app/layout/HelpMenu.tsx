/** The help button: documentation, shortcuts, contact, legal texts. */
import { ActionIcon, Menu } from "@mantine/core";
import { CircleQuestionMark } from "lucide-react";
import { Suspense, lazy } from "react";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Header.module.css";

const load = () => import("./HelpItems");
const HelpItems = lazy(load);

export function HelpMenu({ onShortcuts }: { onShortcuts: () => void }) {
  return (
    <Menu position="bottom-end" width={220} withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("menu.help")}
          className={classes.wide}
          onPointerEnter={() => void load()}
          onFocus={() => void load()}
        >
          <CircleQuestionMark size={20} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Suspense>
          <HelpItems onShortcuts={onShortcuts} />
        </Suspense>
      </Menu.Dropdown>
    </Menu>
  );
}
