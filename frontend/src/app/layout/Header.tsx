/** The bar above every screen of the dashboard. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { CalendarClock, Download, Settings, Sparkles } from "lucide-react";
import { Link } from "react-router";
import { isFreePlan, isOwner, useAccount } from "../../api/account";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.dashboard";
import { AvatarMenu } from "./AvatarMenu";
import { CompactMenu } from "./CompactMenu";
import classes from "./Header.module.css";
import { EXTENSION_URL } from "../../lib/links";

export function Header() {
  const me = useAccount();
  return (
    <header className={classes.header}>
      <CompactMenu />
      <span className={classes.brand}>
        <Logo name={config().brandname} badge={t("beta")} />
      </span>
      <div className={classes.links}>
        <a href={EXTENSION_URL} download className={classes.link}>
          <Download size={16} aria-hidden="true" />
          {t("menu.extension")}
        </a>
        <Link to="/dashboard/scheduledemo" className={classes.link}>
          <CalendarClock size={16} aria-hidden="true" />
          {t("menu.demo")}
        </Link>
      </div>
      {isOwner(me) && (
        <Button
          component={Link}
          to="/dashboard/upgradeplan"
          role="button"
          size="sm"
          className={classes.upgrade}
          leftSection={<Sparkles size={15} aria-hidden="true" />}
        >
          {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
        </Button>
      )}
      <Tooltip label={t("menu.settings")}>
        <ActionIcon component={Link} to="/dashboard/settings" variant="subtle" color="gray" size="lg" aria-label={t("menu.settings")}>
          <Settings size={19} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
      <AvatarMenu />
    </header>
  );
}
