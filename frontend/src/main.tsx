import "./app/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadConfig } from "./api/config";
import { App } from "./app/App";
import { Unreachable } from "./app/Unreachable";
import { loadLanguage } from "./lib/language";

const root = createRoot(document.getElementById("root")!);

async function start(): Promise<void> {
  try {
    await Promise.all([loadConfig(), loadLanguage()]);
    root.render(<StrictMode><App /></StrictMode>);
  } catch {
    root.render(<Unreachable retry={start} />);
  }
}

void start();
