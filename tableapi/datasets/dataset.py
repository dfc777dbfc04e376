"""One database as it is served: its schema, kept up to date, and the statements compiled for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from tableapi.auth.rights import Rights
from tableapi.crypto.unseal import Unsealer
from tableapi.db.database import Db
from tableapi.db.replicas import Replicas
from tableapi.db.turns import Turns
from tableapi.errors import NotFound
from tableapi.log import get_logger
from tableapi.observability import background
from tableapi.query.bounds import Bounds
from tableapi.query.plan_cache import Shapes
from tableapi.schema import introspection, model
from tableapi.schema.model import Schema, Table

log = get_logger(__name__)


class Dataset:
    pinned = False  # whether all its statements run in one transaction (answers.py)

    def __init__(
        self,
        name: str,
        db: Db,
        rights_of: Callable[[str, str], Rights],
        *,
        bounds: Bounds | None = None,
        named: frozenset[str] | None = None,
        unseal: Unsealer | None = None,
        hooked: Callable[[str, str], bool] = lambda table, verb: False,
        replicas: Replicas | None = None,
        identity: Mapping[str, str] | None = None,
        poll: float = 2.0,
    ) -> None:
        self.name, self.db, self.bounds, self.unseal = name, db, bounds or Bounds(), unseal
        self.replicas, self.identity = replicas, identity or {}
        self.hooked = hooked  # (table, verb) -> whether a hook of the project stands in front
        self.schema = Schema({}, "")
        self._named = named  # the tables that exist for the API; None means all
        self._rights_of, self._poll = rights_of, poll
        self._rights: dict[str, Rights] = {}
        self.turns = Turns(lambda: db.reads.size)
        self.plan_cache = Shapes(self.bounds.plan_cache, self.bounds.shape_bytes)
        self._watching: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()
        self._looked = 0.0
        self._next: asyncio.Task[bool] | None = None
        self._mark = ""

    async def open(self) -> None:
        await self.db.connect()
        async with self.db.reads.acquire() as connection:
            self._use(await introspection.read(connection))
        if self.replicas is not None:
            await self.replicas.open()
        self.db.listen("tableapi_schema", lambda _: self.look_soon())
        self._watching = background.start(self._watch(), "watch_schema")

    async def close(self) -> None:
        if self._watching:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self.replicas is not None:
            await self.replicas.close()
        await self.db.close()

    @property
    def waiting(self) -> int:
        """Requests that wait for a connection, or for a turn at one."""
        return self.db.waiting + self.turns.waiting

    def rights(self, role: str) -> Rights:
        if role not in self._rights:
            self._rights[role] = self._rights_of(role, self.name)
        return self._rights[role]

    async def table(self, name: str) -> Table:
        """Raises NotFound. A name that is not known may be a table that was just made."""
        found = self.schema.find(name)
        if found is None and await self.look():
            found = self.schema.find(name)
        if found is None:
            raise NotFound(f"Table '{name[:100]}' does not exist.", reason="unknown_table")
        return found

    def keep(self, key: Any, plan: Any) -> None:
        """Remember a compiled plan."""
        self.plan_cache.keep(key, plan)

    # -- the schema of a living database -------------------------------------------------------------------------------

    def _use(self, found: Schema) -> None:
        self._mark = found.fingerprint
        if self._named is not None:
            found = model.only(found, self._named)
        self.schema = found
        self.plan_cache.clear()
        self._rights.clear()  # rights are made of tables

    async def look(self) -> bool:
        """Read the schema again if DDL changed it; whether it did. All who ask before a look begins share it, and
        there are at most twenty a second."""
        if self._next is None:
            self._next = background.start(self._look(), "look")
        return await asyncio.shield(self._next)

    async def _look(self) -> bool:
        try:
            await asyncio.sleep(max(0.0, self._looked + 0.05 - time.monotonic()))
        finally:
            self._next = None
        self._looked = time.monotonic()
        async with self._looking, self.db.reads.acquire() as connection:
            changed = await introspection.fingerprint(connection) != self._mark
            if changed:
                self._use(await introspection.read(connection))
                log.info("schema_read", dataset=self.name, tables=len(self.schema.tables))
            return changed

    def look_soon(self) -> None:
        background.start(self._quietly(), "look_soon")

    async def _quietly(self) -> None:
        try:
            await self.look()
        except Exception as error:  # a lost connection, a busy pool: the next look will do
            log.warning("schema_not_read", dataset=self.name, error=type(error).__name__)

    async def _watch(self) -> None:
        """DDL needs no trigger in the database to be seen: a look costs about a millisecond."""
        pause = self._poll
        while True:
            await asyncio.sleep(pause)
            began = time.monotonic()
            await self._quietly()
            pause = max(self._poll, 100 * (time.monotonic() - began))
