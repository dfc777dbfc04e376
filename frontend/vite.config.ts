/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.API ?? `http://127.0.0.1:${process.env.PORT ?? 8000}`;

// The server sends a strict policy: no inline script, so no module-preload polyfill and nothing inlined as data.
export default defineConfig({
  plugins: [react()],
  server: {
    port: Number(process.env.PAGES_PORT ?? 5173), // PORT is the server's
    proxy: { "/api": api, "/sandbox": api },
  },
  build: {
    target: "es2022",
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 30_000,
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
