/** Decrypts contact values in JavaScript, for pages on plain http. */
import { gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { INFO, type Opener } from "./fieldcrypto";

export function newOpener(token: Uint8Array<ArrayBuffer>): Opener {
  const key = hkdf(sha256, token, undefined, INFO, 32);
  return async (nonce, sealed) => gcm(key, nonce).decrypt(sealed) as Uint8Array<ArrayBuffer>;
}
