/** The settings of the server: its name and its features. Loaded once, before anything is drawn. */

import { setPreference } from "../lib/preferences";

export interface Example {
  full_name: string;
  title: string;
  company: string;
  linkedinurl: string;
}

export interface Config {
  brandname: string;
  appkey: string;
  dataset: string;
  demo: boolean;
  publicurl: string;
  googleenabled: boolean;
  linkedinenabled: boolean;
  /** True when absent. */
  paymentsenabled?: boolean;
  stripepublishablekey: string | null;
  /** Menu entries that show "Coming soon". */
  comingsoon?: string[];
  /** Sample people for a first search, in the demo only. */
  examples?: Example[];
  /** Domain of the professional network on which profiles are searched. */
  profilehost?: string;
}

let loaded: Config | undefined;
let loading: Promise<Config> | undefined;

/** Fetches the settings once; a failure is not cached. index.html preloads the address, which works only with default
 options. */
export function loadConfig(): Promise<Config> {
  loading ??= fetchConfig().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchConfig(): Promise<Config> {
  const response = await fetch("/api/v2/config");
  if (!response.ok) throw new Error(`The settings could not be read (${response.status}).`);
  return setConfig((await response.json()) as Config);
}

/** Sets the settings; tests call it with their own. */
export function setConfig(value: Config): Config {
  // The first paint leaves room for the banner (public/theme.js).
  setPreference("demo", value.demo ? "1" : null);
  loaded = value;
  return value;
}

export function config(): Config {
  if (!loaded) throw new Error("config() before loadConfig()");
  return loaded;
}

/** Whether payments are set up. */
export const canPay = (): boolean => config().paymentsenabled ?? true;

export const isComing = (screen: string): boolean => config().comingsoon?.includes(screen) ?? false;

export const profileHost = (): string => config().profilehost ?? "linkedin.com";
