/** Renders the app as soon as the server's settings are known. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { account } from "./api/account";
import { loadConfig } from "./api/config";
import { asksForAccount } from "./api/early";
import { App } from "./app/App";
import { Unreachable } from "./app/Unreachable";
import { preload } from "./app/preload";
import { makeQueryClient } from "./app/queries";
import { registerServiceWorker } from "./app/serviceworker";
import { currentSession } from "./stores/session";

/** How long the first rendering waits for its data. */
const MOMENT_MS = 100;

const root = createRoot(document.getElementById("root")!);
const queries = makeQueryClient();

/** Waits briefly for the responses to the first script, so that frame and list are rendered once instead of twice. */
async function dataKnown(): Promise<void> {
  if (!asksForAccount(currentSession(), window.location)) return;
  const moment = new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
  const data = [queries.prefetchQuery(account), preload(queries, window.location)];
  await Promise.race([Promise.all(data), moment]);
}

async function start(): Promise<void> {
  try {
    await loadConfig();
    await dataKnown();
    root.render(<StrictMode><App queries={queries} /></StrictMode>);
    registerServiceWorker();
  } catch {
    root.render(<Unreachable retry={start} />);
  }
}

void start();
