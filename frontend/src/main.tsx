/** Draws the app as soon as the settings of the server are known. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { account } from "./api/account";
import { loadConfig } from "./api/config";
import { asksForAccount } from "./api/early";
import { App } from "./app/App";
import { Unreachable } from "./app/Unreachable";
import { makeQueryClient } from "./app/queries";
import { registerServiceWorker } from "./app/serviceworker";
import { currentSession } from "./stores/session";

/** How long the first drawing waits for the account. */
const MOMENT_MS = 100;

const root = createRoot(document.getElementById("root")!);
const queries = makeQueryClient();

/** Waits a moment for the account: the first script has asked for it, and with it the frame is drawn once instead of twice. */
async function accountKnown(): Promise<void> {
  if (!asksForAccount(currentSession(), window.location)) return;
  const moment = new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
  await Promise.race([queries.prefetchQuery(account), moment]);
}

async function start(): Promise<void> {
  try {
    await loadConfig();
    await accountKnown();
    root.render(<StrictMode><App queries={queries} /></StrictMode>);
    registerServiceWorker();
  } catch {
    root.render(<Unreachable retry={start} />);
  }
}

void start();
