/** Fades the previous screen out, if the browser has view transitions and the user does not prefer reduced motion. */
import type { createBrowserRouter } from "react-router";
import { screenOf } from "./screenof";

type Router = ReturnType<typeof createBrowserRouter>;

const STILL = "(prefers-reduced-motion: reduce)";

/**
 * Names the screen on display. The name disappears with its element, so the next screen is not part of the transition.
 */
function nameScreen(): void {
  document.querySelector<HTMLElement>(".screen")?.style.setProperty("view-transition-name", "screen");
}

/** Makes each navigation to another screen a view transition; `app/base.css` has its animations. */
export function withTransitions(router: Router): Router {
  const { navigate } = router;
  const fadesTo = (pathname: string) => !matchMedia(STILL).matches && screenOf(pathname) !== screenOf(router.state.location.pathname);
  router.navigate = (async (to: Parameters<Router["navigate"]>[0], options) => {
    if (typeof to === "number") return navigate(to);
    const pathname = typeof to === "string" ? new URL(to, window.location.href).pathname : to?.pathname;
    const fades = pathname !== undefined && fadesTo(pathname);
    if (fades) nameScreen();
    return navigate(to, { ...options, viewTransition: fades });
  }) as Router["navigate"];
  return router;
}
