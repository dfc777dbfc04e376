/** The providers round the routes, and the notes above them. */
import { forgetAnswers } from "../api/client";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RouteObject } from "react-router";
import { RouterProvider } from "react-router/dom";
import { Toasts } from "../components/ui/Toasts";
import { t } from "../lib/i18n";
import { followOtherTabs, useIsLoggedIn } from "../stores/session";
import { toastClosed, useToasts } from "../stores/toasts";
import { prefetchOnHover } from "./prefetch";
import { makeQueryClient } from "./queries";
import { router } from "./routes";
import { schemeManager } from "./scheme";
import { cssVariables, theme } from "./theme";

export function App() {
  const [queries] = useState(makeQueryClient);
  const isLoggedIn = useIsLoggedIn();

  useEffect(followOtherTabs, []);
  useEffect(() => prefetchOnHover(() => router.routes as RouteObject[]), []);
  // After the commit, so that no screen of the account that is gone is still asking for it.
  useEffect(() => {
    if (isLoggedIn) return;
    queries.clear();
    forgetAnswers();
  }, [isLoggedIn, queries]);

  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Notes />
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Notes() {
  return <Toasts items={useToasts()} onClose={toastClosed} closeLabel={t("close")} />;
}
