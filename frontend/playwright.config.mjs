/** Journeys in Chromium against the server at BASE_URL: `BASE_URL=http://127.0.0.1:8000 npm run journeys -- billing`.

 Each journey wants a fresh demo, so pytest starts a server for each (tests/e2e). With TRACE=1 a failure leaves its trace in .cache. */
import { defineConfig } from "@playwright/test";
import { ARGS, BASE, HEADLESS, TIMEOUT, WIDE } from "./e2e/server.mjs";

export default defineConfig({
  testDir: "e2e",
  testMatch: "*.mjs",
  testIgnore: ["browser.mjs", "mail.mjs", "screens.mjs", "server.mjs", "states.mjs", "steady.mjs"],
  outputDir: process.env.TRACES ?? "../.cache/journeys",
  // Pictures that references.mjs compares with. Text is smoothed a little differently on each machine.
  snapshotPathTemplate: "{testDir}/references/{arg}{ext}",
  expect: { timeout: TIMEOUT, toHaveScreenshot: { scale: "device", animations: "disabled", threshold: 0.25, maxDiffPixelRatio: 0.002 } },
  workers: 1,
  timeout: 570_000,
  forbidOnly: true,
  reporter: "line",
  use: {
    baseURL: BASE,
    viewport: WIDE,
    actionTimeout: TIMEOUT,
    navigationTimeout: TIMEOUT,
    acceptDownloads: true,
    contextOptions: { reducedMotion: "reduce" },
    // A trace costs a quarter of the time of a journey.
    trace: process.env.TRACE ? { mode: "retain-on-failure", screenshots: false, snapshots: true } : "off",
    screenshot: "only-on-failure",
    launchOptions: { executablePath: HEADLESS, args: ARGS },
  },
});
