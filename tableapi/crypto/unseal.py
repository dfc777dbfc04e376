"""Sealed values on their way out of the table API: ciphertext at rest becomes plain text, or text for one session."""

from __future__ import annotations

import re

import orjson

from tableapi.crypto.vault import Vault, Wire, unseal

# A token holds no character that JSON escapes, so it can be found in the bytes that PostgreSQL made.
_TOKEN = re.compile(rb'"(s1\.[A-Za-z0-9_-]{20,})"')


class Unsealer:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def body(self, body: bytes, wire: Wire | None) -> bytes:
        """Decrypt every sealed value of a JSON text; with `wire`, encrypt it again for the caller's session."""
        parts = _TOKEN.split(body)
        if len(parts) == 1:
            return body
        parts[1::2] = [orjson.dumps(text) for text in unseal(self._vault, [p.decode() for p in parts[1::2]], wire)]
        return b"".join(parts)
