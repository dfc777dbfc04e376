"""The context of a script or hook: caller, database, settings, request and external services."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import Actor
from tableapi.config.settings import Settings
from tableapi.crypto.vault import WIRE_HEADER, Vault, Wire, wire_for
from tableapi.db.database import Db
from tableapi.http.request import HttpRequest, no_request
from tableapi.project import jobs
from tableapi.project.project import Vendors
from tableapi.ratelimit import counter
from tableapi.ratelimit.counter import count_use

SettingsT = TypeVar("SettingsT", bound=Settings)
VendorsT = TypeVar("VendorsT", bound=Vendors)


class Context(Generic[SettingsT, VendorsT]):
    """One call of a script, hook or job. The request of a job is empty.

    Set `headers` to add headers to the response.
    """

    def __init__(
        self,
        actor: Actor,
        db: Db,
        settings: SettingsT,
        open_vault: Callable[[], Vault],
        vendors: VendorsT,
        request: HttpRequest | None = None,
        guesses: Guesses | None = None,
    ) -> None:
        self.actor, self.db, self.settings, self.vendors = actor, db, settings, vendors
        self._open_vault = open_vault
        self.request = request or no_request()
        self._guesses = guesses
        self.headers: dict[str, str] = {}

    @cached_property
    def vault(self) -> Vault:
        """Encryption at rest with SECRET_KEYS. Raises ValueError in a host program without them."""
        return self._open_vault()

    @cached_property
    def wire(self) -> Wire | None:
        """The encryption of sealed fields in the response; None unless requested."""
        header = self.request.headers.get(WIRE_HEADER)
        return wire_for(header, self.request.session_token) if header else None

    async def later(self, name: str, /, **payload: Any) -> None:
        """Queue the job `name` in the caller's transaction; it exists only if that commits."""
        await jobs.enqueue(self.db, self.vault, name, payload, self.request.request_id)

    def guess(self) -> AbstractAsyncContextManager[None]:
        """Count the enclosed credential check against the client's address, unless it succeeds."""
        guesses = self._guesses or Guesses(self.settings.address_per_minute)
        return guesses.counted(self.request.ip)

    def limit(self, name: str, key: str, amount: int, seconds: int) -> Callable[[], None]:
        """Count one use of `name` by `key`, and return a function that removes it from the count.

        For limits that depend on the body. Raises TooMany above `amount`.
        """
        hit = count_use(name, key, amount, seconds)
        self.request.hit = counter.tighter(self.request.hit, hit)
        return partial(counter.give_back, name, key, hit)
