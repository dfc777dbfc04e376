/** The layout before sign-in: the form on the light side, the product on the dark side. */
import { Box, Group, Stack } from "@mantine/core";
import { Outlet, useLocation } from "react-router";
import { config } from "../../api/config";
import { Logo } from "../../components/ui/Logo";
import { t } from "../../lib/i18n";
import classes from "./AuthLayout.module.css";
import { DemoBanner } from "./DemoBanner";
import { PitchCard } from "./PitchCard";
import languageLinks from "./LanguageLinks.module.css";
import { language, type Language, LANGUAGES, showIn } from "../../lib/language";

export function AuthLayout() {
  const { brandname, demo } = config();
  const { pathname } = useLocation();
  return (
    <div className={classes.page}>
      <Stack component="aside" justify="space-between" gap="xl" className={classes.pitch}>
        <Logo name={brandname} badge={t("beta")} light />
        <PitchCard />
        <div>
          <Box component="strong" display="block" mb="sm" c="var(--on-sidebar)" fz="var(--fs-32)" fw="var(--fw-600)" lts="var(--tracking)" lh="var(--lh-32)">{t("login.pitch")}</Box>
          <Box component="p" maw="42ch" c="var(--on-sidebar-dim)" fz="lg" lh="lg">{t("login.pitchText")}</Box>
        </div>
      </Stack>
      <Stack gap={0}>
        {demo && <DemoBanner />}
        <header className={classes.brand}>
          <Logo name={brandname} badge={t("beta")} />
        </header>
        <main key={pathname} id="content" tabIndex={-1} className={`screen ${classes.form}`}>
          <Outlet />
        </main>
        <LanguageLinks />
      </Stack>
    </div>
  );
}

/** The languages of the app, below the pages before the sign-in; later the choice is in My Account. */
function LanguageLinks() {
  return (
    <footer className={languageLinks.foot}>
      <Group role="group" aria-label={t("language")} align="stretch" wrap="nowrap" justify="center" gap="xs" pt="md" px="lg" pb="lg">
        {Object.entries(LANGUAGES).map(([name, label]) => (
          <button key={name} type="button" lang={name} aria-pressed={name === language().name} className={languageLinks.language} onClick={() => showIn(name as Language)}>
            {label}
          </button>
        ))}
      </Group>
    </footer>
  );
}
