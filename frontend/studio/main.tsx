import "@fontsource-variable/instrument-sans";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/grid.css";
import "./styles/record.css";
import "./styles/panels.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isPassing } from "../shared/apierror";
import "../shared/tokens.css";
import "../shared/page.css";
import { App } from "./app/App";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A rejected request stays rejected; a busy or unreachable server may respond a moment later.
      retry: (failures, error) => failures < 2 && isPassing(error),
      refetchOnWindowFocus: false,
    },
  },
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
