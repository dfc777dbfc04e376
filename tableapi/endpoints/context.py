"""What a script gets: the caller, the database, the settings, the request and the outside world. No rules here."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from starlette.requests import Request

from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import Actor
from tableapi.config.settings import Settings
from tableapi.crypto.vault import WIRE_HEADER, Vault, Wire, wire_for
from tableapi.db.database import Db
from tableapi.endpoints import jobs
from tableapi.endpoints.project import Vendors
from tableapi.ratelimit import counter
from tableapi.ratelimit.enforce import count_use

SettingsT = TypeVar("SettingsT", bound=Settings)
VendorsT = TypeVar("VendorsT", bound=Vendors)


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """The request as scripts see it. A job has none and gets the empty one."""

    method: str = ""
    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    ip: str = ""
    request_id: str = ""
    session_token: str = ""  # as the caller sent it; only its hash is stored
    source: Request | None = None  # for bodies that are not JSON: uploads, signed webhooks

    @property
    def network(self) -> str:
        """The caller's address as limits count it."""
        return counter.network(self.ip)


NO_REQUEST = ScriptRequest()


class Context(Generic[SettingsT, VendorsT]):
    """One call of a script."""

    def __init__(
        self,
        actor: Actor,
        db: Db,
        settings: SettingsT,
        vault: Vault,
        vendors: VendorsT,
        request: ScriptRequest = NO_REQUEST,
        guesses: Guesses | None = None,
    ) -> None:
        self.actor, self.db, self.settings, self.vault, self.request = actor, db, settings, vault, request
        self.vendors = vendors
        self._guesses = guesses or Guesses(settings.address_per_minute)
        self.headers: dict[str, str] = {}  # of the answer
        self.hit: counter.Hit | None = None  # the tightest of the limits that the call was counted against

    @cached_property
    def wire(self) -> Wire | None:
        """Encryption of contact fields, when the request asked for it (G17)."""
        return wire_for(self.request.headers.get(WIRE_HEADER), self.request.session_token)

    async def later(self, name: str, /, **payload: Any) -> None:
        """Queue the internal script `name`, in the caller's transaction: the job exists exactly when its cause does."""
        await jobs.enqueue(self.db, self.vault, name, payload, self.request.request_id)

    def guess(self) -> AbstractAsyncContextManager[None]:
        """Count the look-up of a credential inside against the caller's address, unless it is good."""
        return self._guesses.counted(self.request.ip)

    def limit(self, name: str, key: str, amount: int, seconds: int) -> None:
        """Count one use; TooMany past the limit. For limits that depend on the body, such as an address."""
        self.hit = counter.tighter(self.hit, count_use(name, key, amount, seconds))
