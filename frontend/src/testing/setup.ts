/** Browser features that jsdom lacks, and a clean browser for each test. */
import "@testing-library/jest-dom/vitest";
import { act, cleanup, configure, prettyDOM, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { toastClosed, useToasts } from "../../shared/toasts";
import { setConfig } from "../api/config";
import { setLanguage } from "../lib/language";
import { chooseTimeZone } from "../lib/locale";
import { unverifiedLeft } from "../stores/unverified";
import { CONFIG } from "./answers";

// What leaves the page. Here, because the files share their modules: one that a file has loaded stays as it is.
vi.mock("../lib/redirect");
vi.mock("../api/stripejs");

class NotFoundError extends Error {
  override name = "TestingLibraryElementError";

  constructor(text: string, container: Element) {
    super(text);
    let message: string | undefined;
    const get = () => (message ??= `${text}\n\n${prettyDOM(container)}`);
    const set = (next: string) => void (message = next);
    Object.defineProperty(this, "message", { get, set, configurable: true });
  }
}

configure({
  // Long enough for a busy machine.
  asyncUtilTimeout: 8000,
  // The document is printed for the final failure only, not each time a condition is not met yet.
  getElementError: (message, container) => new NotFoundError(message ?? "", container),
});

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
  for (const { id } of renderHook(useToasts).result.current) toastClosed(id);
  cleanup();
  act(unverifiedLeft);
  setLanguage("en");
  chooseTimeZone(null);
  localStorage.clear();
  sessionStorage.clear();
});
