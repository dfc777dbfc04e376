"""What a script gets: the caller, the database, the settings, the request and the outside world. No rules here."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from tableapi import door, jobs, limits
from tableapi.access import Actor
from tableapi.crypto import WIRE_HEADER, Vault, Wire, wire_for
from tableapi.db import Db
from tableapi.guesses import Guesses
from tableapi.settings import Settings

if TYPE_CHECKING:
    from tableapi.adapters import World


@dataclass(frozen=True, slots=True)
class Call:
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
        return limits.network(self.ip)


NO_CALL = Call()


class Context:
    """One call of a script."""

    def __init__(
        self,
        actor: Actor,
        db: Db,
        settings: Settings,
        vault: Vault,
        world: World,
        request: Call = NO_CALL,
        guesses: Guesses | None = None,
    ) -> None:
        self.actor, self.db, self.settings, self.vault, self.request = actor, db, settings, vault, request
        self.world = world
        self._guesses = guesses or Guesses(settings.address_per_minute)
        self.headers: dict[str, str] = {}  # of the answer
        self.hit: limits.Hit | None = None  # the tightest of the limits that the call was counted against

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
        self.hit = limits.tighter(self.hit, door.spend(name, key, amount, seconds))
