/** Builds the address and headers of requests. Imports nothing that the first script does not need. */
import { language } from "../lib/language";

export type Query = Record<string, string | number | boolean | undefined>;

const ROOT = "/api/v2/";

export function addressOf(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return ROOT + path + (text && `?${text}`);
}

export interface Credentials {
  appkey: string;
  token?: string | undefined;
  /** Request contact values encrypted for this session. */
  contacts?: boolean | undefined;
}

export function headersOf({ appkey, token, contacts }: Credentials): Record<string, string> {
  // Mails caused by the request use the language of the page, which may differ from the browser's.
  const headers: Record<string, string> = { "X-API-Key": appkey, "Accept-Language": language().name };
  if (token) headers["X-Session-Token"] = token;
  if (token && contacts) headers["X-Field-Encryption"] = "session-v1";
  return headers;
}
