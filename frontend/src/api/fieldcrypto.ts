/** Decrypts contact values that the server encrypted for this session: `v1.<nonce>.<ciphertext>`. */

/** Decrypts one value. Rejects what was encrypted with another key. */
type Opener = (nonce: Uint8Array<ArrayBuffer>, sealed: Uint8Array<ArrayBuffer>) => Promise<BufferSource>;

const SEALED = /^v1\.([\w-]+)\.([\w-]+)$/;
const INFO = new TextEncoder().encode("contact-field-v1");

let cached: { token: string; opener: Promise<Opener> } | undefined;

function openerOf(token: string): Promise<Opener> {
  if (cached?.token !== token) cached = { token, opener: newOpener(new TextEncoder().encode(token)) };
  return cached.opener;
}

/** The browser decrypts ten times faster than a script, but `crypto.subtle` exists on https and on localhost only. */
async function newOpener(token: Uint8Array<ArrayBuffer>): Promise<Opener> {
  const { subtle } = crypto as Partial<Crypto>;
  if (!subtle) return (await import("./fieldcryptoscript")).newOpener(token, INFO);
  const secret = await subtle.importKey("raw", token, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: INFO };
  const key = await subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
  return (iv, sealed) => subtle.decrypt({ name: "AES-GCM", iv }, key, sealed);
}

/** Decrypts a value; returns any other text unchanged. Rejects when the value was encrypted for another session. */
export async function openField(value: string, token: string): Promise<string> {
  const [, nonce, sealed] = SEALED.exec(value) ?? [];
  if (!nonce || !sealed) return value;
  const open = await openerOf(token);
  return new TextDecoder().decode(await open(bytes(nonce), bytes(sealed)));
}

/** Copies a JSON value with every encrypted text decrypted. */
export async function openFields(value: unknown, token: string): Promise<unknown> {
  const opened: Promise<void>[] = [];
  const copy = copied({ value }, (text, put) => opened.push(openField(text, token).then(put)));
  await Promise.all(opened);
  return copy.value;
}

/** Copies an object or a list, and reports each encrypted text in it with a function to replace it. */
function copied(value: object, found: (text: string, put: (text: string) => void) => void): Record<string, unknown> {
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  for (const [name, part] of Object.entries(copy)) {
    if (typeof part === "string" && part.startsWith("v1.")) found(part, (text) => void (copy[name] = text));
    else if (part !== null && typeof part === "object") copy[name] = copied(part, found);
  }
  return copy;
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
