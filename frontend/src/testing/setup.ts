/** Browser features that jsdom lacks, and a clean browser for each test. */
import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { setConfig } from "../api/config";
import { setLanguage } from "../lib/language";
import { chooseTimeZone } from "../lib/locale";
import { CONFIG } from "./answers";

// Long enough for a busy machine.
configure({ asyncUtilTimeout: 8000 });

window.matchMedia = (query) =>
  ({ matches: query.includes("reduce"), media: query, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList;
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView = () => {};
Object.defineProperty(document, "fonts", { value: { addEventListener() {}, removeEventListener() {} }, configurable: true });

beforeEach(() => {
  setConfig(CONFIG);
});

afterEach(() => {
  cleanup();
  setLanguage("en");
  chooseTimeZone(null);
  localStorage.clear();
  sessionStorage.clear();
});
