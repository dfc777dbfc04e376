/** The providers around the routes, and the notifications above them. */
import { settleToasts } from "../../shared/toasts";
import { config } from "../api/config";
import { MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { RouterProvider } from "react-router/dom";
import { Brand } from "../components/Title";
import { followOtherTabs, useIsLoggedIn } from "../stores/session";
import { Notes } from "./Notes";
import { preloadOnHover } from "./preload";
import { router } from "./routes";
import { schemeManager } from "./scheme";
import { cssVariables, theme } from "./theme";

export function App({ queries }: { queries: QueryClient }) {
  const isLoggedIn = useIsLoggedIn();

  useEffect(followOtherTabs, []);
  useEffect(settleWithPage, []);
  useEffect(() => preloadOnHover(queries), [queries]);
  // After the commit, when no screen of the previous account sends requests any more.
  useEffect(() => {
    if (!isLoggedIn) queries.clear();
  }, [isLoggedIn, queries]);

  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queries}>
        <Brand value={config().brandname}>
          <RouterProvider router={router} />
        </Brand>
        <Notes />
      </QueryClientProvider>
    </MantineProvider>
  );
}

const settle = () => void settleToasts();

/** Sends changes that still wait for Undo when the page is closed. */
function settleWithPage(): () => void {
  window.addEventListener("pagehide", settle);
  return () => window.removeEventListener("pagehide", settle);
}
