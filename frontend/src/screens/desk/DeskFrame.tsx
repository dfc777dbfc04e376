/** The frame of the desk, the same as the app's: menu, search, account; the page below. */
import { Box, Burger, Drawer, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { brand } from "../../api/desk";
import compact from "../../app/layout/CompactMenu.module.css";
import frame from "../../app/layout/Dashboard.module.css";
import header from "../../app/layout/Header.module.css";
import { MOD_KEY } from "../../app/layout/keys";
import { PaletteDialog } from "../../app/layout/PaletteDialog";
import { ShortcutsDialog } from "../../app/layout/ShortcutsDialog";
import sidebar from "../../app/layout/Sidebar.module.css";
import { useFrameKeys } from "../../app/layout/useFrameKeys";
import { Logo } from "../../components/ui/Logo";
import { t as common } from "../../lib/i18n.dashboard";
import { t } from "../../lib/i18n.desk";
import { DeskAccount } from "./DeskAccount";
import { DeskMenu } from "./DeskMenu";
import { useDeskCommands } from "./useDeskCommands";

const NONE: never[] = [];

export function DeskFrame({ children }: { children: ReactNode }) {
  const [palette, openPalette] = useDisclosure();
  const [shortcuts, openShortcuts] = useDisclosure();
  useFrameKeys(openPalette.open, openShortcuts.open);
  return (
    <div className={frame.frame}>
      <aside className={sidebar.sidebar} aria-label={common("menu.sidebar")}>
        <Group wrap="nowrap" justify="space-between" gap={0} className={sidebar.head}>
          <Box component={Link} to="/desk" bdrs="var(--r-control)" td="none" className={sidebar.brand}>
            <Logo name={brand()} badge={t("title")} light />
          </Box>
        </Group>
        <DeskMenu />
      </aside>
      <Stack gap={0} miw={0}>
        <header className={header.header}>
          <CompactMenu />
          <span className={header.brand}>
            <Logo name={brand()} badge={t("title")} />
          </span>
          <button type="button" className={header.search} onClick={openPalette.open} aria-keyshortcuts="Meta+K Control+K">
            <Search size={16} strokeWidth={1.75} aria-hidden="true" />
            <span>{t("find.open")}</span>
            <kbd className={header.keys} aria-hidden="true" data-keys={`${MOD_KEY}K`} />
          </button>
          <span className={header.links} />
          <DeskAccount onShortcuts={openShortcuts.open} />
        </header>
        <main id="content" tabIndex={-1} className={frame.content}>
          <div className={`screen ${frame.screen}`}>{children}</div>
        </main>
      </Stack>
      {palette && <Palette onClose={openPalette.close} onShortcuts={openShortcuts.open} />}
      {shortcuts && <ShortcutsDialog more={NONE} onClose={openShortcuts.close} />}
    </div>
  );
}

function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [typed, setTyped] = useState("");
  const groups = useDeskCommands(typed, onShortcuts);
  return <PaletteDialog typed={typed} onType={setTyped} groups={groups} placeholder={t("find.lead")} onClose={onClose} />;
}

/** The menu of small screens, in a drawer. */
function CompactMenu() {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Burger color="var(--text-1)" opened={opened} onClick={open} size="sm" aria-label={common("menu.open")} className={compact.burger} />
      <Drawer
        opened={opened}
        onClose={close}
        size={300}
        title={<Logo name={brand()} badge={t("title")} light />}
        closeButtonProps={{ "aria-label": common("close") }}
        classNames={{ content: compact.content, header: compact.header, body: compact.body, close: compact.close }}
      >
        <DeskMenu onOpen={close} />
      </Drawer>
    </>
  );
}
