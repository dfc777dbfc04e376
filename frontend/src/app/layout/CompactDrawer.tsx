/** Menu, header links and credits in a drawer, on small screens. Fetched when it is first opened. */
import { Drawer } from "@mantine/core";
import { CalendarClock, Download, Settings, Sparkles } from "lucide-react";
import { Link } from "react-router";
import { isFreePlan, isOwner, useMaybeAccount } from "../../api/account";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n.dashboard";
import { EXTENSION_URL } from "../../lib/links";
import classes from "./CompactMenu.module.css";
import { CreditList } from "./CreditList";
import { MenuList } from "./MenuList";

export default function CompactDrawer({ opened, close }: { opened: boolean; close: () => void }) {
  const me = useMaybeAccount();
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={300}
      title={<Logo name={config().brandname} badge={t("beta")} light />}
      closeButtonProps={{ "aria-label": t("close") }}
      classNames={{ content: classes.content, header: classes.header, body: classes.body, close: classes.close }}
    >
      <MenuList onOpen={close} />
      <div className={classes.links}>
        <a href={EXTENSION_URL} download>
          <Download size={20} strokeWidth={1.75} aria-hidden="true" />
          {t("menu.extension")}
        </a>
        <Link to="/dashboard/scheduledemo" onClick={close}>
          <CalendarClock size={20} strokeWidth={1.75} aria-hidden="true" />
          {t("menu.demo")}
        </Link>
        <Link to="/dashboard/settings" onClick={close}>
          <Settings size={20} strokeWidth={1.75} aria-hidden="true" />
          {t("menu.settings")}
        </Link>
        {me && isOwner(me) && (
          <Link to="/dashboard/upgradeplan" onClick={close}>
            <Sparkles size={20} strokeWidth={1.75} aria-hidden="true" />
            {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
          </Link>
        )}
      </div>
      <CreditList />
    </Drawer>
  );
}
