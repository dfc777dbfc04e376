"""Decrypt sealed values in a response body of the table API."""

from __future__ import annotations

import re

import orjson

from tableapi.crypto.vault import MASK, Vault, Wire, unseal

# A token contains no characters that JSON escapes, so it can be found in the bytes rendered by PostgreSQL.
_TOKEN = re.compile(rb'"(s1\.[A-Za-z0-9_-]{20,})"')


class MaskingVault(Vault):
    """Return MASK instead of decrypting values, for callers that read masks."""

    def open_bytes(self, sealed: bytes) -> bytes:
        return MASK.encode()


class Unsealer:
    """Replace sealed tokens in JSON by their values."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def body(self, body: bytes, wire: Wire | None) -> bytes:
        """Decrypt every sealed value in a JSON text; with `wire`, encrypt each for the caller's session."""
        parts = _TOKEN.split(body)
        if len(parts) == 1:
            return body
        parts[1::2] = [orjson.dumps(text) for text in unseal(self._vault, [p.decode() for p in parts[1::2]], wire)]
        return b"".join(parts)
