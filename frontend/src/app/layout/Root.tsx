/** Wraps every route: the skip link, the title of the window, and the focus after a change of screen. */
import { useEffect, useRef } from "react";
import { Outlet, ScrollRestoration, useLocation } from "react-router";
import { t } from "../../lib/i18n";

export function Root() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    // A screen reader starts at the new screen, unless that screen has focused a field.
    const main = document.getElementById("content");
    if (main && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <>
      <a className="skip" href="#content">
        {t("skip")}
      </a>
      <Outlet />
      {/* Scrolls to the top of a new screen, and to the previous position after Back. */}
      <ScrollRestoration />
    </>
  );
}
