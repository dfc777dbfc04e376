"""Sealed values on their way out of the table API: ciphertext at rest becomes plain text, or text for one session."""

from __future__ import annotations

import re
from collections.abc import Mapping

import orjson

from tableapi.auth import session_token
from tableapi.crypto import WIRE_HEADER, Vault, unseal, wire_for

# A token holds no character that JSON escapes, so it can be found in the bytes that PostgreSQL made.
_TOKEN = re.compile(rb'"(s1\.[A-Za-z0-9_-]{20,})"')


class Unsealer:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def body(self, body: bytes, headers: Mapping[str, str]) -> bytes:
        """JSON with every sealed value opened; encrypted again for the wire where the request asked for it (G17)."""
        parts = _TOKEN.split(body)
        if len(parts) == 1:
            return body
        wire = wire_for(headers.get(WIRE_HEADER), session_token(headers))
        parts[1::2] = [orjson.dumps(text) for text in unseal(self._vault, [p.decode() for p in parts[1::2]], wire)]
        return b"".join(parts)
