"""Run the plans of one write on one connection, and find out why a plan wrote no row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tableapi.auth.rights import Right
from tableapi.db.errors import bad_reference
from tableapi.errors import ApiError, BadRequest, Forbidden
from tableapi.http import etag
from tableapi.observability import metrics
from tableapi.query.dml import conditions, statements
from tableapi.query.dml.plan import Change, WritePlan
from tableapi.query.dml.target import KEY, Target
from tableapi.query.filter.cache import Literals
from tableapi.query.options import Options
from tableapi.query.plan import Bindings, right_of
from tableapi.query.statement import Binder, arguments
from tableapi.schema.model import Column, Table
from tableapi.schema.types import KeyText
from tableapi.tables import errors
from tableapi.tables.request import TableRequest

T = TypeVar("T")


@dataclass(slots=True)
class Record:
    """A written record. body: for the response; mark: its version; keys: its key fields by name.

    ignored: nothing was written, because a record with its key exists (`upsert=ignore`).
    """

    body: bytes
    mark: str
    keys: dict[str, Any]
    sealed: int = 0
    ignored: bool = False


@dataclass(slots=True)
class Run(ABC):
    """The statements of one write. Its subclass `Writer` adds the operations on records.

    A connection is held from the first statement that needs one, in a transaction if the plan needs one. A caller that
    is already in a transaction passes its connection and `transactional`, and ends the transaction itself.

    match: the versions in `If-Match`. depth: of nesting. written: the number of records so far.
    """

    call: TableRequest
    options: Options
    connection: Any = None
    transactional: bool = False
    match: str = field(init=False)
    depth: int = 0
    written: int = 0
    _rights: dict[tuple[int, str], Right] = field(default_factory=dict)
    _stack: AsyncExitStack | None = None

    def __post_init__(self) -> None:
        headers = self.call.headers
        self.match = etag.if_match(headers) if "if-match" in headers or "if-none-match" in headers else ""

    @abstractmethod
    async def create(self, table: Table, record: Mapping[str, Any], forced: Mapping[str, Any] | None = None) -> Record:
        """Create one record with its nested records. `forced`: references to its parent record."""

    @abstractmethod
    async def change(
        self,
        table: Table,
        key: list[Column],
        ident: list[Any],
        record: Mapping[str, Any],
        *,
        forced: Mapping[str, Any] | None = None,
    ) -> Record:
        """Change one record with its nested records. `key` has the identifying fields, `ident` their values.

        Raises:
            NotFound: the record does not exist for the caller.
        """

    @abstractmethod
    async def delete(self, table: Table, key: list[Column], ident: list[Any]) -> Record:
        """Delete one record, and return it as it was before.

        Raises:
            NotFound: the record does not exist for the caller.
        """

    # -- connection and transaction ----------------------------------------------------------------------------------

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._stack.__aexit__(*error) if self._stack is not None else None

    async def hold(self, *, transaction: bool = True) -> None:
        """Keep one connection until the end of the write, in a transaction unless `transaction` is false."""
        if self._stack is None:
            self._stack = AsyncExitStack()
        if self.connection is None:
            self.connection = await self._stack.enter_async_context(self.call.dataset.db.writes.acquire())
        if transaction and not self.transactional:
            await self._stack.enter_async_context(self.connection.transaction())
            self.transactional = True

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[None]:
        """Run the block in a transaction of its own, or in a savepoint of the outer one."""
        outer, noted = self.transactional, len(self.call.written or ())
        async with self.connection.transaction():
            self.transactional = True
            try:
                yield
            except BaseException:
                del (self.call.written or [])[noted:]
                raise
            finally:
                self.transactional = outer

    # -- plans and their values --------------------------------------------------------------------------------------

    def right(self, table: Table, verb: str) -> Right:
        """Return the caller's right to use a verb on a table.

        Raises:
            Forbidden: the caller has none, or a nested record would bypass the hook of its table.
        """
        if self.depth and verb != "GET" and self.call.dataset.hooked(table.name, verb):
            raise Forbidden(f"'{table.name}' cannot be written inside another record.", reason="not_nested")
        key = (id(table), verb)
        if key not in self._rights:
            self._rights[key] = right_of(table, self.call.rights, verb)
            conditions.check_rules(table, verb, upsert=self.options.upsert and not self.depth)
        return self._rights[key]

    def target(self, table: Table, verb: str, fields: str | None = "", extra: tuple[str, ...] = ()) -> Target:
        """Return the target of a plan. `extra`: fields that nested records refer to."""
        right = self.right(table, verb)
        binder = Binder(self.options.params)
        if right.returns_nothing or (right.grants and self.options.minimal):
            return Target(table, right, self.call.rights, "\0", extra, binder, returns_nothing=True, verb=verb)
        keys = tuple(dict.fromkeys((*table.key, *extra)))
        return Target(table, right, self.call.rights, fields, keys, binder, verb=verb, texts=self.options.exact_texts)

    def plan(self, build: Callable[..., WritePlan], target: Target, *parts: Any) -> WritePlan:
        """Return the plan built by `build` for a target and these parts; plans are cached."""
        key = ("write", self.call.actor.role, *target.key(build, parts))
        known: WritePlan | None = self.call.dataset.plan_cache.get(key)
        if known is None:
            known = build(target, *parts)
            metrics.count("plans", "write")
            self.call.dataset.plan_cache.keep(key, known)
        return known

    def filtered_plan(
        self, build: Callable[..., WritePlan], target: Target, *parts: Any
    ) -> Coroutine[Any, Any, WritePlan]:
        """Return a plan as `plan` does; one with a large filter is built in a thread."""
        key = ("write", self.call.actor.role, *target.key(build, parts))
        return self.call.dataset.plan_cache.plan("write", key, target.table, self.options, build, target, *parts)

    def values(
        self, record: Mapping[str, Any], ident: list[Any] | None = None, literals: Literals | None = None
    ) -> Bindings:
        """Return the values to bind in a plan."""
        return Bindings(
            self.call.actor, literals or [], self.options.params, [ident] if ident else [], record=dict(record),
            limits=self.call.dataset.limits.filter,
        )  # fmt: skip

    async def fetch(self, plan: WritePlan, values: Bindings) -> Any:
        """Run a plan, and return its first row, or None."""
        if self.connection is None or plan.transaction:
            await self.hold(transaction=plan.transaction)
        return await self.sent(self.connection.fetchrow(plan.sql, *arguments(plan.parameters, values)))

    async def sent(self, statement: Awaitable[T]) -> T:
        """Await a statement. Errors do not name fields that the caller may not see."""
        try:
            return await statement
        except errors.OF_TABLE as error:
            raise errors.violated(self.call, error) from None

    def record_of(self, plan: WritePlan, row: Any) -> Record:
        """Return the written record.

        Raises:
            Forbidden: the row no longer satisfies the row rule; the transaction is rolled back.
        """
        if not row["ok"]:
            raise Forbidden(
                "The change would move a record out of the rows that your role may write.", reason="row_rule"
            )
        keys = {name: row[f"{KEY}{n}"] for n, name in enumerate(plan.keys)}
        for name in plan.texts:
            keys[name] = KeyText(keys[name]) if keys[name] is not None else None
        return Record(row["body"], row["mark"], keys, plan.sealed)

    def note(self, table: Table, verb: str, keys: Mapping[str, Any]) -> None:
        """Note a written record: its table, and the record for the `on_write` listeners."""
        if self.call.tables is not None:
            self.call.tables.add(table.name)
        if self.call.written is not None:
            self.call.written.append((table.name, verb, {name: keys[name] for name in table.key if name in keys}))

    # -- checks ------------------------------------------------------------------------------------------------------

    async def find(self, table: Table, key: list[Column], ident: list[Any], verb: str = "GET") -> Any:
        """Lock and return the row of a stored record; None if it does not exist for the caller."""
        return await self.fetch(self.plan(statements.find, self.target(table, verb), key), self.values({}, ident))

    async def check_unchanged(
        self, table: Table, verb: str, key: list[Column], ident: list[Any], fields: Mapping[str, Any]
    ) -> None:
        """Check that the stored values of these fields equal those that were sent.

        Raises:
            Forbidden: one differs.
            NotFound: the record does not exist for the caller.
        """
        await self.hold()
        plan = self.plan(statements.find, self.target(table, verb), key, tuple(fields))
        try:
            row = await self.fetch(plan, self.values(fields, ident))
        except BadRequest:
            raise errors.field_error(self.call, dict([next(iter(fields.items()))])) from None
        if row is None:
            raise errors.missing(",".join(map(str, ident)))
        if not row["same"]:
            raise errors.field_error(self.call, fields)

    async def check_change(
        self, table: Table, key: list[Column], ident: list[Any], change: Change, forced: Mapping[str, Any]
    ) -> None:
        """Reject fields that the caller may not change, unless they are sent with their stored values.

        Raises:
            Forbidden: a field may not be changed.
            NotFound: the record does not exist for the caller.
        """
        right = self.right(table, "PATCH")
        errors.drop_own(self.call, change.rejected)
        if unseen := {name: value for name, value in change.rejected.items() if not right.can_read(name)}:
            raise errors.field_error(self.call, unseen)  # a comparison would disclose the stored value
        change.rejected.update({name: value for name, value in forced.items() if not right.may_set((name,))})
        if change.rejected:
            await self.check_unchanged(table, "PATCH", key, ident, change.rejected)

    async def gone(self, table: Table, verb: str, key: list[Column], ident: list[Any], match: str) -> ApiError:
        """Build the error for a record that does not exist, or is not in a version of `If-Match`."""
        if match and await self.find(table, key, ident, verb) is not None:
            return etag.precondition_failed()
        return errors.missing(",".join(map(str, ident)))

    async def not_changed(
        self, table: Table, key: list[Column], ident: list[Any], change: Change, match: str
    ) -> ApiError:
        """Build the error for a change that wrote no row."""
        error = await self._violated(table, key, ident, change)
        return error or await self.gone(table, "PATCH", key, ident, match)

    async def not_created(self, table: Table, change: Change, unique: list[Column] | None) -> ApiError:
        """Build the error for a create, or for an upsert by `unique`, that wrote no row."""
        if (error := await self.bad_reference(table, change)) is not None:
            return error
        if not unique:
            return errors.not_created()
        ident = [change.values[column.name] for column in unique]
        return await self._violated(table, unique, ident, change) or errors.missing(",".join(map(str, ident)))

    async def bad_reference(self, table: Table, change: Change) -> ApiError | None:
        """Return the error if a new record refers to a row that its caller may not read, else None."""
        if not conditions.concern(table, self.right(table, "POST"), self.call.rights, change.names):
            return None
        plan = self.plan(statements.check_create, self.target(table, "POST"), change)
        row = await self.fetch(plan, self.values(change.values))
        return None if row[conditions.REFERENCE] else bad_reference()

    async def _violated(self, table: Table, key: list[Column], ident: list[Any], change: Change) -> ApiError | None:
        """Return the error for a violated write condition; None if all hold or the record does not exist."""
        if not conditions.concern(table, self.right(table, "PATCH"), self.call.rights, change.names):
            return None
        plan = self.plan(statements.check_change, self.target(table, "PATCH"), change, key)
        row = await self.fetch(plan, self.values(change.values, ident))
        return self.violated_by(row, table, change) if row is not None else None

    def violated_by(self, row: Any, table: Table, change: Change) -> ApiError | None:
        """Return the error for the condition that a check row shows as violated, or None."""
        if not row[conditions.FIELD]:
            editable_in = self.right(table, "PATCH").editable_in
            return errors.unwritable({name: None for name in change.names if name in editable_in})
        return None if row[conditions.REFERENCE] else bad_reference()
