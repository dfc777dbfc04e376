"""The keys of an issuer: a shared secret, or a set of public keys (JWKS) from a file or a URL.

A set is refreshed when a token names an unknown key, at most once in REFRESH_SECONDS, and in the background when it is
older than FRESH_SECONDS. While the issuer is unreachable, the last set remains in use.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from tableapi.crypto import tls
from tableapi.errors import Busy
from tableapi.log import get_logger
from tableapi.observability import background

if TYPE_CHECKING:
    from joserfc.jwk import Key

log = get_logger(__name__)

REFRESH_SECONDS = 30.0  # between two requests to the issuer
FRESH_SECONDS = 600.0
FETCH_SECONDS, MAX_BYTES, MAX_KEYS = 5.0, 262_144, 100
MIN_RSA_BITS = 2048

Load = Callable[[], Awaitable[bytes]]


class KeysUnavailable(Busy):
    """Raised if no key has been loaded yet and the issuer is unreachable."""

    reason = "keys_unavailable"


class SecretKey:
    """A secret shared with the issuer."""

    def __init__(self, secret: str) -> None:
        from joserfc.jwk import OctKey

        self._keys: list[Key] = [OctKey.import_key(secret)]

    async def candidates(self, key_id: str | None) -> list[Key]:
        """Return the keys that may have signed a token."""
        return self._keys


class PublicKeys:
    """The public keys of an issuer, by key id."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._keys: list[Key] = []
        self._loaded_at = self._tried_at = 0.0  # monotonic time; 0 before the first attempt
        self._loading: asyncio.Task[None] | None = None

    async def candidates(self, key_id: str | None) -> list[Key]:
        """Return the keys that may have signed a token: those with its key id, or all if it has none.

        Raises:
            KeysUnavailable: no keys are loaded, and the issuer is unreachable.
        """
        now = time.monotonic()
        matching = self._of(key_id)
        if not matching and self._may_try(now):
            await self._refresh()
            matching = self._of(key_id)
        elif now - self._loaded_at > FRESH_SECONDS and self._may_try(now):
            self._refresh()
        if not self._keys:
            raise KeysUnavailable(
                "The keys of the token's issuer cannot be read. Try again in a moment.", headers={"Retry-After": "5"}
            )
        return matching

    def _of(self, key_id: str | None) -> list[Key]:
        return [key for key in self._keys if key_id is None or key.kid == key_id]

    def _may_try(self, now: float) -> bool:
        return self._loading is not None or not self._tried_at or now - self._tried_at >= REFRESH_SECONDS

    def _refresh(self) -> Awaitable[None]:
        """Reload the keys; requests that need them at the same time share the attempt."""
        if self._loading is None:
            self._tried_at = time.monotonic()
            self._loading = background.start(self._read(), "token_keys")
        return asyncio.shield(self._loading)

    async def _read(self) -> None:
        try:
            self._keys = parsed(await self._load())
            self._loaded_at = time.monotonic()
        except Exception as error:  # any error: the last keys remain in use
            log.warning("token_keys_unavailable", error=type(error).__name__, kept=len(self._keys))
        finally:
            self._loading = None


def parsed(content: bytes) -> list[Key]:
    """Return the keys of a JWKS that can verify signatures. Raises ValueError for a malformed set."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, OctKey, RSAKey

    members = orjson.loads(content)
    members = members.get("keys") if isinstance(members, dict) else None
    if not isinstance(members, list):
        raise ValueError("a JWKS must be an object with a list of keys")
    keys: list[Key] = []
    for member in members[:MAX_KEYS]:
        if not isinstance(member, dict) or member.get("use", "sig") != "sig":
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about short keys, which are skipped below
                key = JWKRegistry.import_key(member)
        except (JoseError, ValueError, TypeError, KeyError):
            continue  # unsupported key type
        weak = isinstance(key, RSAKey) and key.public_key.key_size < MIN_RSA_BITS
        if not isinstance(key, OctKey) and not weak:  # a published secret is not a secret
            keys.append(key)
    if not keys:
        raise ValueError("the JWKS has no usable key")
    return keys


def loader(source: str) -> Load:
    """Return a function that reads a JWKS from a URL or a file."""
    if source.startswith(("https://", "http://")):
        return lambda: _fetched(source)
    path = Path(source)
    return lambda: asyncio.to_thread(_of_file, path)


def _of_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_BYTES)


def address_error(source: str) -> str:
    """Return the problem with a JWKS URL, or ""."""
    parts = urlsplit(source)
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        return "must be an https address, a file, or an http address on this machine"
    return ""


async def _fetched(address: str) -> bytes:
    """Fetch the JWKS from the issuer, up to MAX_BYTES.

    Raises an httpx2 error, or ValueError if it is larger.
    """
    import httpx2 as httpx

    content: list[bytes] = []
    size = 0
    async with (
        asyncio.timeout(FETCH_SECONDS),
        httpx.AsyncClient(verify=tls.tls_context(), follow_redirects=False) as client,
        client.stream("GET", address, headers={"Accept": "application/json"}) as response,
    ):
        response.raise_for_status()
        async for part in response.aiter_bytes():
            size += len(part)
            if size > MAX_BYTES:
                raise ValueError("the JWKS is too large")
            content.append(part)
    return b"".join(content)


def source(secret: str, jwks: str) -> Any:
    """Return the keys given by the settings: a secret, or the set at a URL or in a file."""
    return SecretKey(secret) if secret else PublicKeys(loader(jwks))
