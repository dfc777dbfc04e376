/** The bar above every screen of the dashboard. Rendered before the account has loaded. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { CalendarClock, Download, Search, Settings, Sparkles } from "lucide-react";
import { Link } from "react-router";
import { isFreePlan, isOwner, useMaybeAccount } from "../../api/account";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.dashboard";
import { EXTENSION_URL } from "../../lib/links";
import { AvatarMenu } from "./AvatarMenu";
import { CompactMenu } from "./CompactMenu";
import { needsMore } from "./credits";
import classes from "./Header.module.css";
import { HelpMenu } from "./HelpMenu";
import { MOD_KEY } from "./keys";

interface Props {
  onPalette: () => void;
  onShortcuts: () => void;
}

export function Header({ onPalette, onShortcuts }: Props) {
  const me = useMaybeAccount();
  return (
    <header className={classes.header}>
      <CompactMenu />
      <span className={classes.brand}>
        <Logo name={config().brandname} badge={t("beta")} />
      </span>
      <div className={classes.links}>
        <a href={EXTENSION_URL} download className={classes.link}>
          <Download size={16} strokeWidth={1.75} aria-hidden="true" />
          {t("menu.extension")}
        </a>
        <Link to="/dashboard/scheduledemo" className={classes.link}>
          <CalendarClock size={16} strokeWidth={1.75} aria-hidden="true" />
          {t("menu.demo")}
        </Link>
      </div>
      <button type="button" className={classes.search} onClick={onPalette} aria-keyshortcuts="Meta+K Control+K">
        <Search size={16} strokeWidth={1.75} aria-hidden="true" />
        <span>{t("palette.open")}</span>
        <kbd className={classes.keys} aria-hidden="true" data-keys={`${MOD_KEY}K`} />
      </button>
      {me && isOwner(me) && (
        <Button
          component={Link}
          to="/dashboard/upgradeplan"
          role="button"
          size="sm"
          variant="default"
          data-solid={needsMore(me) || undefined}
          className={classes.upgrade}
          leftSection={<Sparkles size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
        </Button>
      )}
      <HelpMenu onShortcuts={onShortcuts} />
      <Tooltip label={t("menu.settings")}>
        <ActionIcon component={Link} to="/dashboard/settings" variant="subtle" color="gray" size="lg" aria-label={t("menu.settings")} className={classes.wide}>
          <Settings size={20} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
      <AvatarMenu onShortcuts={onShortcuts} />
    </header>
  );
}
