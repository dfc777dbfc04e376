/** Decrypts contact values that the server encrypted for this session: `v1.<nonce>.<ciphertext>`. */
import { gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

const SEALED = /^v1\.([\w-]+)\.([\w-]+)$/;
const INFO = new TextEncoder().encode("contact-field-v1");

let cached: { token: string; key: Uint8Array } | undefined;

// noble instead of WebCrypto: `crypto.subtle` exists on https and on localhost only.
function keyOf(token: string): Uint8Array {
  if (cached?.token !== token) {
    cached = { token, key: hkdf(sha256, new TextEncoder().encode(token), undefined, INFO, 32) };
  }
  return cached.key;
}

/** Decrypts a value; returns any other text unchanged. Throws when the value was encrypted for another session. */
export function openField(value: string, token: string): string {
  const [, nonce, sealed] = SEALED.exec(value) ?? [];
  if (!nonce || !sealed) return value;
  return new TextDecoder().decode(gcm(keyOf(token), bytes(nonce)).decrypt(bytes(sealed)));
}

/** Copies a JSON value with every encrypted text decrypted. */
export function openFields(value: unknown, token: string): unknown {
  if (typeof value === "string") return value.startsWith("v1.") ? openField(value, token) : value;
  if (Array.isArray(value)) return value.map((item) => openFields(item, token));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, openFields(field, token)]));
}

function bytes(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
