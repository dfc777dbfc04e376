"""Encryption of values at rest, keyed hashes for look-ups, and encryption of response fields.

At rest: AES-256-GCM with a key derived from an entry of SECRET_KEYS. A sealed value starts with the id of its key. To
rotate keys, put a new one first: it seals new values, and older values are decrypted with the key that they name. In
responses: a key derived from the session token; fields are `v1.<nonce>.<ciphertext>` in base64url.
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

MASK = "*****"  # replaces a sealed value
WIRE_HEADER = "x-field-encryption"
WIRE_SCHEME = "session-v1"
_VERSION, _ID, _NONCE = b"\x01", 4, 12
_PREFIX = "s1."
HEAD = 1 + _ID  # bytes before the nonce: version and key id
HASHES = "hashes:"  # prefix of a SECRET_KEYS entry that is used for keyed hashes only
_INDEX = "tableapi-blind-index-v1"


class CannotOpen(Internal):
    """Raised for a sealed value that was modified, or sealed with a key that is not in SECRET_KEYS."""

    reason = "sealed"


def derive_key(secret: bytes, info: str) -> bytes:
    """Derive a 32-byte key for one purpose from a secret."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info.encode()).derive(secret)


def token_hash(token: str) -> bytes:
    """Return the hash under which a random token is stored.

    No key is needed, because 32 random bytes cannot be guessed.
    """
    return hashlib.sha256(token.encode()).digest()


def b64(data: bytes) -> str:
    """Encode as base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """Decode base64url without padding. Raises ValueError."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hash_keys(secret_keys: Sequence[str]) -> str:
    """Return SECRET_KEYS with the older keys reduced to keys for keyed hashes.

    For use once no value is sealed with the older keys. A reduced key finds the keyed hashes of the old one, decrypts
    nothing, and does not disclose the secret.
    """
    older = [k if k.startswith(HASHES) else HASHES + b64(derive_key(k.encode(), _INDEX)) for k in secret_keys[1:]]
    return ",".join([secret_keys[0], *older])


def key_error(secret_keys: Sequence[str]) -> str:
    """Describe the problem with SECRET_KEYS; "" if there is none."""
    for number, secret in enumerate(secret_keys, 1):
        if not secret.startswith(HASHES):
            continue
        if number == 1:
            return "the first key encrypts values, so it must not begin with hashes:. Put a secret first"
        try:
            complete = len(unb64(secret.removeprefix(HASHES))) == 32
        except ValueError:
            complete = False
        if not complete:
            return f"key {number} is incomplete. Copy it exactly as `tableapi rotate-keys --hash-keys` printed it"
    return ""


# In characters. A secret or token shorter than GUESSABLE_* prevents the start; `tableapi check` asks for MIN_*. Tokens
# may be shorter than secrets, because attempts to guess them are counted.
MIN_SECRET, GUESSABLE_SECRET = 32, 16
MIN_TOKEN, GUESSABLE_TOKEN, GUESSABLE_LOCAL_TOKEN = 16, 6, 3


def _characters(text: str) -> str:
    return f"{len(text)} character{'s' * (len(text) != 1)}"


def weak_secret(secret_keys: Sequence[str], shortest: int) -> str:
    """Describe the first of SECRET_KEYS with fewer than `shortest` characters; "" if there is none."""
    for number, secret in enumerate(secret_keys, 1):
        if len(secret) < shortest:
            return f"SECRET_KEYS: key {number} has {_characters(secret)}; it must have at least {MIN_SECRET}."
    return ""


def weak_token(name: str, token: str, shortest: int) -> str:
    """Describe a network token with fewer than `shortest` characters; "" for any other."""
    if not token or len(token) >= shortest:
        return ""
    return f"{name} has {_characters(token)}; it must have at least {MIN_TOKEN}."


class Vault:
    """Seal and open values with the keys of the deployment."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        if not secret_keys:
            raise ValueError("SECRET_KEYS must not be empty")
        self._ciphers: dict[bytes, AESGCM] = {}
        self._index_keys: list[bytes] = []
        for secret in secret_keys:
            if secret.startswith(HASHES):
                self._index_keys.append(unb64(secret.removeprefix(HASHES)))
                continue
            key = derive_key(secret.encode(), "tableapi-at-rest-v1")
            self._ciphers.setdefault(hashlib.sha256(b"id" + key).digest()[:_ID], AESGCM(key))
            self._index_keys.append(derive_key(secret.encode(), _INDEX))
        self._id, self._cipher = next(iter(self._ciphers.items()))
        self._head = _VERSION + self._id

    @property
    def heads(self) -> list[bytes]:
        """Return the first `HEAD` bytes of the values sealed with each key, newest first."""
        return [_VERSION + key_id for key_id in self._ciphers]

    def is_newest(self, sealed: str | bytes) -> bool:
        """Whether a value was sealed with the first key."""
        return (unb64(sealed.removeprefix(_PREFIX)) if isinstance(sealed, str) else sealed).startswith(self._head)

    def seal_bytes(self, plain: bytes) -> bytes:
        """Return version, key id, nonce and ciphertext with tag."""
        nonce = os.urandom(_NONCE)
        return self._head + nonce + self._cipher.encrypt(nonce, plain, None)

    def open_bytes(self, sealed: bytes) -> bytes:
        """Return the plain bytes. Raises CannotOpen."""
        cipher = self._ciphers.get(sealed[1:HEAD]) if sealed[:1] == _VERSION else None
        if cipher is None:
            raise CannotOpen("A stored value was encrypted with a key that is not in SECRET_KEYS. Add the key there.")
        try:
            return cipher.decrypt(sealed[HEAD : HEAD + _NONCE], sealed[HEAD + _NONCE :], None)
        except InvalidTag:
            raise CannotOpen("A stored encrypted value was modified outside the program.") from None

    def seal(self, plain: str) -> str:
        """Return a text token, for columns that PostgreSQL renders as JSON."""
        return _PREFIX + b64(self.seal_bytes(plain.encode()))

    def open(self, token: str) -> str:
        """Return the text of a token. Raises CannotOpen."""
        return self.open_bytes(unb64(token.removeprefix(_PREFIX))).decode()

    def index(self, purpose: str, value: str) -> bytes:
        """Return a keyed hash for looking the value up, with the newest key."""
        return hmac.digest(self._index_keys[0], f"{purpose}\0{value}".encode(), "sha256")

    def indexes(self, purpose: str, value: str) -> list[bytes]:
        """Return the keyed hashes with every key, newest first; look up with `= any($1)`."""
        text = f"{purpose}\0{value}".encode()
        return [hmac.digest(key, text, "sha256") for key in self._index_keys]


class Wire:
    """Encrypt fields of a response for one session."""

    def __init__(self, session_token: str) -> None:
        self._cipher = AESGCM(derive_key(session_token.encode(), "contact-field-v1"))

    def encrypt(self, plain: str) -> str:
        """Return `v1.<nonce>.<ciphertext>`."""
        nonce = os.urandom(_NONCE)
        return f"v1.{b64(nonce)}.{b64(self._cipher.encrypt(nonce, plain.encode(), None))}"


def wire_for(header: str | None, session_token: str) -> Wire | None:
    """Return the encryption requested by `X-Field-Encryption`; None for plain fields inside TLS."""
    return Wire(session_token) if session_token and (header or "").strip().lower() == WIRE_SCHEME else None


def unseal(vault: Vault, tokens: Sequence[str | None], wire: Wire | None) -> list[str | None]:
    """Decrypt sealed values and, if `wire` is given, encrypt them for the session. None stays None."""
    plain = (None if token is None else vault.open(token) for token in tokens)
    if wire is None:
        return list(plain)
    return [None if text is None else wire.encrypt(text) for text in plain]
