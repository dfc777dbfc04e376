/** Decrypts contact values in JavaScript, for pages on plain http. */
import { gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

export function newOpener(token: Uint8Array<ArrayBuffer>, info: Uint8Array) {
  const key = hkdf(sha256, token, undefined, info, 32);
  return async (nonce: Uint8Array<ArrayBuffer>, sealed: Uint8Array<ArrayBuffer>) => gcm(key, nonce).decrypt(sealed) as Uint8Array<ArrayBuffer>;
}
