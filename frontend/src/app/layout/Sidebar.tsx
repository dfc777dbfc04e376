/** The sidebar of the dashboard: the menu and the remaining credits. */
import { ActionIcon, Box, Group, Tooltip } from "@mantine/core";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { Link, useMatch } from "react-router";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.dashboard";
import { CreditList } from "./CreditList";
import { MenuList } from "./MenuList";
import { SettingsMenu } from "./SettingsMenu";
import classes from "./Sidebar.module.css";

export function Sidebar({ collapsed, onToggle }: { collapsed: boolean; onToggle: () => void }) {
  const label = collapsed ? t("menu.expand") : t("menu.collapse");
  const settings = useMatch("/dashboard/settings/*") !== null;
  const Icon = collapsed ? PanelLeftOpen : PanelLeftClose;
  return (
    <aside className={classes.sidebar} aria-label={t("menu.sidebar")} data-collapsed={collapsed || undefined}>
      <Group wrap="nowrap" justify="space-between" gap={0} className={classes.head}>
        <Box component={Link} to="/dashboard/main/dashboardmain" bdrs="var(--r-control)" td="none" className={classes.brand}>
          <Logo name={config().brandname} badge={t("beta")} light />
        </Box>
        <Tooltip label={label} position="right">
          <ActionIcon variant="transparent" size="md" className={classes.toggle} aria-label={label} onClick={onToggle}>
            <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Group>
      {settings ? <SettingsMenu collapsed={collapsed} /> : <MenuList collapsed={collapsed} />}
      <CreditList />
    </aside>
  );
}
