"""Encryption of values at rest, keyed hashes to find them by, and encryption of fields on the wire (safe-contract G17).

At rest: AES-256-GCM under a key derived from a SECRET_KEYS entry. A token starts with the id of its key, so that keys
rotate by putting a new one in front: new values are sealed with the first, old ones open with the key that they name.
On the wire: a key derived from the caller's session token, `v1.<nonce>.<ciphertext>` in base64url.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tableapi.errors import Internal

WIRE_HEADER = "x-field-encryption"
WIRE_SCHEME = "session-v1"
_VERSION, _ID, _NONCE = b"\x01", 4, 12
_PREFIX = "s1."
HEAD = 1 + _ID
HASHES = "hashes:"  # begins an entry of SECRET_KEYS that seals nothing
_INDEX = "tableapi-blind-index-v1"


class CannotOpen(Internal):
    """A sealed value names a key that SECRET_KEYS does not hold, or was changed."""

    reason = "sealed"


def derive(secret: bytes, info: str) -> bytes:
    """32 bytes for one purpose out of one secret."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info.encode()).derive(secret)


def token_hash(token: str) -> bytes:
    """What is stored of a random token. It needs no key: 32 random bytes cannot be guessed."""
    return hashlib.sha256(token.encode()).digest()


def b64(data: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """The bytes of base64url text without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hash_keys(secret_keys: Sequence[str]) -> str:
    """SECRET_KEYS when the older ones seal nothing any more: each becomes what finds its keyed hashes and opens
    nothing. The secret cannot be had from it."""
    older = [k if k.startswith(HASHES) else HASHES + b64(derive(k.encode(), _INDEX)) for k in secret_keys[1:]]
    return ",".join([secret_keys[0], *older])


def key_problem(secret_keys: Sequence[str]) -> str:
    """What is wrong with SECRET_KEYS; empty when nothing is."""
    for number, secret in enumerate(secret_keys, 1):
        if not secret.startswith(HASHES):
            continue
        if number == 1:
            return "the first key has to seal, and one that begins with hashes: cannot"
        try:
            whole = len(unb64(secret.removeprefix(HASHES))) == 32
        except ValueError:
            whole = False
        if not whole:
            return f"key {number} is not as tableapi reseal --hash-keys printed it"
    return ""


class Vault:
    """Seals and opens values with the keys of the deployment."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        if not secret_keys:
            raise ValueError("SECRET_KEYS is empty")
        self._ciphers: dict[bytes, AESGCM] = {}
        self._index_keys: list[bytes] = []
        for secret in secret_keys:
            if secret.startswith(HASHES):
                self._index_keys.append(unb64(secret.removeprefix(HASHES)))
                continue
            key = derive(secret.encode(), "tableapi-at-rest-v1")
            self._ciphers.setdefault(hashlib.sha256(b"id" + key).digest()[:_ID], AESGCM(key))
            self._index_keys.append(derive(secret.encode(), _INDEX))
        self._id, self._cipher = next(iter(self._ciphers.items()))
        self._head = _VERSION + self._id

    @property
    def heads(self) -> list[bytes]:
        """How a value begins that was sealed by each key, newest first: `HEAD` bytes."""
        return [_VERSION + ident for ident in self._ciphers]

    def is_newest(self, sealed: str | bytes) -> bool:
        """Whether a sealed value is under the first key."""
        return (unb64(sealed.removeprefix(_PREFIX)) if isinstance(sealed, str) else sealed).startswith(self._head)

    def seal_bytes(self, plain: bytes) -> bytes:
        """version, key id, nonce, ciphertext with tag."""
        nonce = os.urandom(_NONCE)
        return self._head + nonce + self._cipher.encrypt(nonce, plain, None)

    def open_bytes(self, sealed: bytes) -> bytes:
        """The plain bytes; CannotOpen when the key is gone or the value was tampered with."""
        start = 1 + _ID
        cipher = self._ciphers.get(sealed[1:start]) if sealed[:1] == _VERSION else None
        if cipher is None:
            raise CannotOpen("A stored value was sealed with a key that SECRET_KEYS does not hold.")
        try:
            return cipher.decrypt(sealed[start : start + _NONCE], sealed[start + _NONCE :], None)
        except InvalidTag:
            raise CannotOpen("A stored value was changed outside the program.") from None

    def seal(self, plain: str) -> str:
        """A text token, for columns that JSON made by PostgreSQL passes through."""
        return _PREFIX + b64(self.seal_bytes(plain.encode()))

    def open(self, token: str) -> str:
        """The text that `seal` got."""
        return self.open_bytes(unb64(token.removeprefix(_PREFIX))).decode()

    def index(self, purpose: str, value: str) -> bytes:
        """A keyed hash to find the value by, under the newest key."""
        return hmac.digest(self._index_keys[0], f"{purpose}\0{value}".encode(), "sha256")

    def indexes(self, purpose: str, value: str) -> list[bytes]:
        """The keyed hash under every key, newest first: look up with `= any($1)`."""
        text = f"{purpose}\0{value}".encode()
        return [hmac.digest(key, text, "sha256") for key in self._index_keys]


class Wire:
    """Fields of one answer, encrypted for one session (safe-contract §10.9)."""

    def __init__(self, session_token: str) -> None:
        self._cipher = AESGCM(derive(session_token.encode(), "contact-field-v1"))

    def encrypt(self, plain: str) -> str:
        nonce = os.urandom(_NONCE)
        return f"v1.{b64(nonce)}.{b64(self._cipher.encrypt(nonce, plain.encode(), None))}"


def wire_for(header: str | None, session_token: str) -> Wire | None:
    """The encryption that a request asked for by its `X-Field-Encryption` header; None for plain inside TLS."""
    return Wire(session_token) if session_token and (header or "").strip().lower() == WIRE_SCHEME else None


def unseal(vault: Vault, tokens: Sequence[str | None], wire: Wire | None) -> list[str | None]:
    """Sealed columns on their way out: opened, and encrypted again for the wire where the caller asked for it."""
    plain = (None if token is None else vault.open(token) for token in tokens)
    if wire is None:
        return list(plain)
    return [None if text is None else wire.encrypt(text) for text in plain]
