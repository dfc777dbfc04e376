/** Draws the app as soon as the settings of the server are known. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadConfig } from "./api/config";
import { App } from "./app/App";
import { Unreachable } from "./app/Unreachable";
import { registerServiceWorker } from "./app/serviceworker";

const root = createRoot(document.getElementById("root")!);

async function start(): Promise<void> {
  try {
    await loadConfig();
    root.render(<StrictMode><App /></StrictMode>);
    registerServiceWorker();
  } catch {
    root.render(<Unreachable retry={start} />);
  }
}

void start();
