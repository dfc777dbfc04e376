/** The layout of text pages, which need no session. */
import { Box, Group } from "@mantine/core";
import { Link, NavLink, Outlet } from "react-router";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n";
import classes from "./PlainLayout.module.css";

export function PlainLayout() {
  return (
    <div className={classes.page}>
      <header>
        <Box component={Link} to="/" display="inline-block" mb="xl" bdrs="var(--r-control)" td="none">
          <Logo name={config().brandname} badge={t("beta")} />
        </Box>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      <footer>
        <Group component="nav" align="stretch" gap="var(--s-2) var(--s-6)" className={classes.foot} aria-label={t("legal.documents")}>
          <NavLink to="/privacypolicy">{t("legal.privacy")}</NavLink>
          <NavLink to="/termsofuse">{t("legal.terms")}</NavLink>
          <NavLink to="/chromeprivacy">{t("legal.chrome")}</NavLink>
          <NavLink to="/trust">{t("legal.trust")}</NavLink>
          <NavLink to="/removal">{t("removal.title")}</NavLink>
          <NavLink to="/login">{t("forgot.back")}</NavLink>
        </Group>
      </footer>
    </div>
  );
}
