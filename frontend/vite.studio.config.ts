/** Builds Studio into the engine's package, so that a wheel contains it. */
import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { type Plugin, defineConfig } from "vite";

const api = process.env.API ?? `http://127.0.0.1:${process.env.PORT ?? 8000}`;
const PACKAGES = /node_modules[\\/](react|react-dom|scheduler|@tanstack)[\\/]/;

/** The script that sets the colour scheme before anything is drawn is the one of the app. */
function schemeScript(): Plugin {
  return {
    name: "scheme-script",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "theme.js", source: readFileSync("public/theme.js", "utf8") });
    },
  };
}

// Addresses are relative: the engine may be mounted below any path.
export default defineConfig({
  root: "studio",
  base: "./",
  publicDir: false,
  plugins: [react(), schemeScript()],
  server: { port: Number(process.env.PAGES_PORT ?? 5174), proxy: { "/api": api } },
  build: {
    outDir: "../../tableapi/studio_site",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "vendor", test: PACKAGES }] } } },
  },
});
