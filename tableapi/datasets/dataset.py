"""Served databases, and what one request uses of one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any, Protocol

import asyncpg

from tableapi.auth.grants import GrantedRights, SecuredRights
from tableapi.auth.policy import VERBS, DatabaseRole
from tableapi.auth.rights import Rights
from tableapi.crypto.unseal import Unsealer
from tableapi.datasets import answer_size
from tableapi.datasets.plan_cache import PlanCache
from tableapi.db.database import Db
from tableapi.db.replicas import Replicas
from tableapi.errors import NotFound
from tableapi.log import get_logger
from tableapi.observability import background
from tableapi.query.limits import Limits
from tableapi.query.plan import Bindings, Plan
from tableapi.query.spelling import suggestion
from tableapi.schema import introspection, model
from tableapi.schema.model import Schema, Table
from tableapi.schema.privileges import RolePrivileges

log = get_logger(__name__)

# A server that does not answer in this time counts as lost, and the next check uses another connection. A check takes
# 15 ms with 3,000 tables, a read of all of them a second.
CHECK_SECONDS = 10.0
READ_SECONDS = 300.0


class TurnTaking(Protocol):
    """Admits the reads of each caller (`db/turns.py`)."""

    def enter(self, caller: str) -> bool: ...

    async def wait(self, caller: str) -> None: ...

    def leave(self, caller: str) -> None: ...


class Connections(Protocol):
    """Connections for reads or for writes: of the pool, as a database role, or a single one."""

    def acquire(self) -> AbstractAsyncContextManager[Any]: ...

    async def fetchrow(self, sql: str, *args: Any) -> Any: ...

    def turns(self, sql: str) -> TurnTaking: ...


class Lanes(Protocol):
    """The connections of a request."""

    @property
    def reads(self) -> Connections: ...

    @property
    def writes(self) -> Connections: ...


class Dataset:
    """A served database as one request uses it.

    The views of a request differ from it in their connections, limits, rights or plans.

    Args:
        served: The database itself.
        rights: Returns the rights of a role.
        replicas: None if reads run on `db`.
        pinned: Whether all statements run in one transaction, for example for an Idempotency-Key.
        role_sql: Sets the database role of the caller for the rest of a transaction (see `role_dataset.py`).
    """

    name: str
    unseal: Unsealer | None
    identity: Mapping[str, str]  # tenant fields, by name
    hooked: Callable[[str, str], bool]  # whether the project has a hook for (table, verb)
    has_hooks: bool
    pinned, role_sql = False, ""

    def __init__(
        self, served: ServedDataset, db: Lanes, limits: Limits, rights: Callable[[str], Rights], plans: PlanCache, *,
        replicas: Replicas | None, pinned: bool, role_sql: str,
    ) -> None:  # fmt: skip
        self.served, self.db, self.limits, self.plan_cache, self._rights_of_role = served, db, limits, plans, rights
        self.replicas, self.pinned, self.role_sql = replicas, pinned, role_sql
        self.name, self.unseal, self.identity = served.name, served.unseal, served.identity
        self.hooked, self.has_hooks = served.hooked, served.has_hooks

    def view(
        self, db: Lanes | None = None, *, limits: Limits | None = None, rights: Callable[[str], Rights] | None = None,
        plans: PlanCache | None = None, pinned: bool = False, role_sql: str = "",
    ) -> Dataset:  # fmt: skip
        """Return the dataset with other connections, limits, rights or plans."""
        return Dataset(
            self.served, self.db if db is None else db, limits or self.limits, rights or self.rights,
            self.plan_cache if plans is None else plans, replicas=self.replicas if db is None else None,
            pinned=pinned or self.pinned, role_sql=role_sql or self.role_sql,
        )  # fmt: skip

    @property
    def schema(self) -> Schema:
        """The tables, as they are now."""
        return self.served.schema

    @property
    def database_roles(self) -> Mapping[str, DatabaseRole]:
        """By role, those that run as a PostgreSQL role."""
        return self.served.database_roles

    def rights(self, role: str) -> Rights:
        """Return the rights of a role."""
        return self._rights_of_role(role)

    async def table(self, name: str, rights: Rights | None = None) -> Table:
        """Return a table by its name. The schema is reloaded for an unknown name, which may be a new table.

        rights: the caller's rights, used to suggest a table that the caller may use.

        Raises:
            NotFound: `unknown_table`.
        """
        table = self.schema.find(name)
        if table is None:
            await self.look()
            table = self.schema.find(name)
        if table is None:
            hint = suggestion(name, self._usable(rights)) if rights else ""
            raise NotFound(f"Table '{name[:100]}' does not exist.{hint}", reason="unknown_table")
        return table

    def _usable(self, rights: Rights) -> Iterator[str]:
        return (t.name for t in self.schema.tables.values() if any(rights.right(t, verb) for verb in VERBS))

    async def fetchrow(self, plan: Plan, values: Bindings, caller: str) -> Any:
        """Run the plan of a read, and return its row.

        It runs on a replica if the plan permits that and a replica is up to date. On the primary, callers take turns.

        Raises:
            BadRequest: the response is too large.
        """
        if plan.replica and self.replicas is not None:
            row = await answer_size.fetchrow(self.limits, self.replicas.fetchrow, plan, values)
        else:
            reads = self.db.reads
            turns = reads.turns(plan.sql)
            if not turns.enter(caller):
                await turns.wait(caller)
            try:
                row = await answer_size.fetchrow(self.limits, reads.fetchrow, plan, values)
            finally:
                turns.leave(caller)
        if row is not None and plan.kind != "count" and len(row["body"] or b"") > self.limits.answer_bytes:
            raise answer_size.too_large(self.limits)
        return row

    async def look(self) -> None:
        """Reload the schema if DDL changed it."""
        await self.served.look()

    async def notice(self, table: Table, names: Iterable[str]) -> bool:
        """Reload the schema if the table has a column with one of these names that the schema lacks.

        Returns whether it was reloaded.
        """
        return await self.served.notice(table, names)

    async def notice_change(self, table: Table) -> bool:
        """Reload the schema if the columns or keys of the table have changed. Returns whether they have."""
        return await self.served.notice_change(table)


class ServedDataset(Dataset):
    """A served database.

    rights_of: returns the rights for (role, dataset). named: the tables that the API serves, None for all. hooked:
    returns whether the project has a hook for (table, verb). identity: tenant fields, by name. database_roles: by role,
    those that run as a PostgreSQL role. poll: seconds between checks for DDL.
    """

    db: Db
    schema = Schema({}, "")
    database_roles: Mapping[str, DatabaseRole] = MappingProxyType({})
    has_hooks = True
    _parent: ServedDataset | None = None

    def __init__(
        self,
        name: str,
        db: Db,
        rights_of: Callable[[str, str], Rights],
        *,
        limits: Limits | None = None,
        named: frozenset[str] | None = None,
        unseal: Unsealer | None = None,
        hooked: Callable[[str, str], bool] = lambda table, verb: False,
        replicas: Replicas | None = None,
        identity: Mapping[str, str] | None = None,
        database_roles: Mapping[str, DatabaseRole] | None = None,
        poll: float = 0.5,
    ) -> None:
        self.served = self
        self.name, self.db, self.limits, self.unseal = name, db, limits or Limits(), unseal
        self.replicas, self.identity = replicas, identity or {}
        self.hooked, self.database_roles = hooked, database_roles or {}
        self._acts_as = sorted({acts.name for acts in self.database_roles.values()})
        self._named = named
        self._rights_of, self._poll = rights_of, poll
        self._rights: dict[str, Rights] = {}
        self.plan_cache = PlanCache(self.limits.plan_cache, self.limits.shape_bytes, self.limits.filter)
        self._watching: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()
        self._looked = 0.0
        self._check_seconds = 0.0  # duration of the last check, without waiting for a connection
        self._next: asyncio.Task[None] | None = None
        self._seen: introspection.Fingerprint | None = None
        self.others: dict[str, ServedDataset] = {}  # by role: the same database with the tables of another policy

    def add_role(self, role: str, rights_of: Callable[[str, str], Rights], named: frozenset[str]) -> None:
        """Serve a different set of tables to a role, without hooks. They do not exist for other roles."""
        other = ServedDataset(
            self.name, self.db, rights_of, limits=self.limits, named=named, unseal=self.unseal, identity=self.identity
        )
        other.has_hooks, other._parent = False, self
        self.others[role] = other

    async def open(self) -> None:
        """Connect, read the schema, and start watching it."""
        await self.db.connect()
        async with self.db.reads.acquire() as connection:
            await self._read(connection)
        if self.replicas is not None:
            await self.replicas.open()
        self.db.listen("tableapi_schema", lambda _: self.look_soon())
        self._watching = background.start(self._watch(), "watch_schema")

    async def close(self) -> None:
        """Stop watching and disconnect."""
        if self._watching:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self.replicas is not None:
            await self.replicas.close()
        await self.db.close()

    def use_rights(self, rights_of: Callable[[str, str], Rights], database_roles: Mapping[str, DatabaseRole]) -> None:
        """Replace the rights of all roles, and drop the plans made under the old ones."""
        self._rights_of, self.database_roles = rights_of, database_roles
        self.plan_cache.clear()
        self._rights.clear()
        acts_as = sorted({acts.name for acts in database_roles.values()})
        if acts_as != self._acts_as:
            # so that the schema is reloaded with PostgreSQL's grants to these roles
            self._acts_as, self._seen = acts_as, None
            self.look_soon()

    @property
    def waiting(self) -> int:
        """The number of requests waiting for a connection or for their turn."""
        return self.db.waiting

    def rights(self, role: str) -> Rights:
        if role not in self._rights:
            acts = self.database_roles.get(role)
            if acts is not None and acts.grants:
                self._rights[role] = GrantedRights(acts, self._privileges(acts))
            else:
                rights = self._rights_of(role, self.name)
                self._rights[role] = rights if acts is None else SecuredRights(rights)
        return self._rights[role]

    def _privileges(self, acts: DatabaseRole) -> RolePrivileges:
        """Return PostgreSQL's grants to a role; nothing if the role does not exist."""
        privileges = self.schema.privileges.get(acts.name)
        if privileges is None:
            log.warning("database_role_missing", dataset=self.name, role=acts.name)
        return privileges or RolePrivileges()

    # -- the schema of a running database ------------------------------------------------------------------------------

    def _use(self, schema: Schema) -> None:
        """Replace the schema, and drop the plans and rights derived from the old one."""
        for other in self.others.values():
            other._use(schema)
        if self._named is not None:
            schema = model.only(schema, self._named)
        self.schema = schema
        self.plan_cache.clear()
        self._rights.clear()  # they refer to tables of the old schema

    async def _read(self, connection: asyncpg.Connection) -> None:
        schema, self._seen = await introspection.read(connection, self._acts_as, self.schema)
        self._use(schema)

    async def look(self) -> None:
        """Reload the schema if DDL changed it.

        Callers that arrive before a check begins share it. There are at most twenty checks per second, and fewer if
        they take long. A caller may see a new schema even if its own check found no change, because an earlier check
        may have loaded it.
        """
        if self._parent is not None:
            await self._parent.look()
            return
        if self._next is None:
            self._next = background.start(self._look(), "look")
        await asyncio.shield(self._next)

    async def _look(self) -> None:
        try:
            await asyncio.sleep(max(0.0, self._looked + max(0.05, self._check_seconds) - time.monotonic()))
        finally:
            self._next = None
        self._looked = time.monotonic()
        async with self._looking, self.db.reads.acquire() as connection:
            began = time.monotonic()
            async with asyncio.timeout(CHECK_SECONDS):
                seen = await introspection.fingerprint(connection, self._acts_as, self._seen)
            self._check_seconds = time.monotonic() - began
            if self._seen is not None and seen.mark == self._seen.mark:
                self._seen = seen
                return
            async with asyncio.timeout(READ_SECONDS):
                await self._read(connection)
            log.info("schema_read", dataset=self.name, tables=len(self.schema.tables))

    async def notice(self, table: Table, names: Iterable[str]) -> bool:
        """Reload the schema if the table has a column with one of these names that the schema lacks.

        Returns whether it was reloaded. The check costs one index look-up.
        """
        if not await introspection.has_columns(self.db.reads, table, names):
            return False
        await self.look()
        return True

    async def notice_change(self, table: Table) -> bool:
        """Reload the schema if the columns or keys of the table have changed.

        Returns whether they have. The check costs a few index look-ups and, unlike `look`, waits for no other.
        """
        if not await introspection.has_changed(self.db.reads, table):
            return False
        await self.look()
        return True

    def look_soon(self) -> None:
        """Check for DDL in the background."""
        background.start(self._quietly(), "look_soon")

    async def _quietly(self) -> None:
        try:
            await self.look()
        except Exception as error:  # a lost connection or a full pool; the next check repeats it
            log.warning("schema_not_read", dataset=self.name, error=type(error).__name__)

    async def _watch(self) -> None:
        """Check for DDL twice a second.

        This needs no object in the database. While no transaction ends, a check reads nothing. With tens of thousands
        of tables the interval grows to five times the duration of a check.
        """
        while True:
            await asyncio.sleep(max(self._poll, 5 * self._check_seconds))
            await self._quietly()
