"""Write the records of one request, with the rules before and after each statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest, Forbidden
from tableapi.http import etag
from tableapi.query import plan
from tableapi.query.dml import checks, rules, statements
from tableapi.query.dml.change import Change, take_apart
from tableapi.query.dml.target import KEY, Target
from tableapi.query.expressions import syntax
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.plan import Bindings
from tableapi.query.statement import Binder, arguments, bound
from tableapi.schema.model import Column, Table
from tableapi.tables import nested, refusals, tenant_guard
from tableapi.tables.read import TableRequest
from tableapi.tables.responses import again
from tableapi.tables.responses.record import Record as Record


@dataclass(slots=True)
class Writer:
    """The writes of one request on one connection.

    depth: of nested records. written: how many records so far. statements: what was run, as SQL and its parameters.
    """

    call: TableRequest
    options: Options
    connection: asyncpg.Connection
    depth: int = 0
    written: int = 0
    statements: list[tuple[str, Any]] = field(default_factory=list)
    _rights: dict[tuple[int, str], Right] = field(default_factory=dict)

    # -- rights, targets and statements ------------------------------------------------------------------------------

    def right(self, table: Table, verb: str) -> Right:
        """Return the right to a verb on a table.

        Raises:
            Forbidden: the caller has none, or a nested record would bypass the hook of its table.
        """
        if self.depth and verb != "GET" and self.call.dataset.hooked(table.name, verb):
            raise Forbidden(f"'{table.name}' cannot be written inside another record.", reason="not_nested")
        key = (id(table), verb)
        if key not in self._rights:
            self._rights[key] = plan.right_of(table, self.call.rights, verb)
            rules.refuse(table, verb, upsert=self.options.upsert and not self.depth)
        return self._rights[key]

    def target(self, table: Table, right: Right, fields: str | None, extra: tuple[str, ...] = ()) -> Target:
        """Return the target of a write. `extra`: fields that nested records refer to."""
        if right.blind or (right.grants and self.options.minimal):
            return Target(table, right, self.call.rights, "\0", extra, Binder(), blind=True)
        keys = tuple(dict.fromkeys((*table.key, *extra)))
        return Target(table, right, self.call.rights, fields, keys, Binder())

    def fields(self, table: Table) -> str | None:
        """Return the fields of the response: of the request's own table as sent, of others the key."""
        if table is not self.call.table or self.depth:
            return ""
        if self.options.fields is None or self.options.as_list or syntax.computed(self.options.fields):
            return self.options.id_field or ""
        return self.options.fields

    async def fetch(self, key: tuple[Any, ...], build: Callable[[], Any], values: Bindings) -> Any:
        """Run a statement that is compiled once per key, and return its first row, or None."""
        sql, args = self._compiled(key, build, values)
        try:
            return await self.connection.fetchrow(sql, *args)
        except asyncpg.NotNullViolationError as error:
            raise tenant_guard.required(self.call, error) from None

    async def fetch_all(self, key: tuple[Any, ...], build: Callable[[], Any], values: Bindings) -> list[Any]:
        """Run a statement that is compiled once per key, and return its rows."""
        sql, args = self._compiled(key, build, values)
        try:
            return list(await self.connection.fetch(sql, *args))
        except asyncpg.NotNullViolationError as error:
            raise tenant_guard.required(self.call, error) from None

    def _compiled(self, key: tuple[Any, ...], build: Callable[[], Any], values: Bindings) -> tuple[str, list[Any]]:
        """Return the SQL and the parameters of a statement that is compiled once per key."""
        plan_key = ("write", self.call.actor.role, *key)
        compiled = self.call.dataset.plan_cache.get(plan_key)
        if compiled is None:
            statement = build()
            compiled = (statement.sql, bound(statement))
            self.call.dataset.keep(plan_key, compiled)
        self.statements.append(compiled)
        sql, parameters = compiled
        return sql, arguments(parameters, values)

    def values(
        self, record: Mapping[str, Any], ident: list[Any] | None = None, literals: list[str | list[str]] | None = None
    ) -> Bindings:
        """Return the values that a statement binds."""
        bindings = Bindings(
            self.call.actor, literals or [], self.options.params, [ident] if ident else [],
            limits=self.call.dataset.bounds.filter,
        )  # fmt: skip
        bindings.record = dict(record)
        return bindings

    def _count(self) -> None:
        """Count one more record, nested ones included."""
        self.written += 1
        if self.written > self.call.dataset.bounds.records * 2:
            raise BadRequest("Too many records in one request, nested ones included.", reason="too_many_records")

    def written_record(self, row: Any, target: Target) -> Record:
        """Return the written record.

        Raises:
            Forbidden: the row no longer satisfies the row rule; the transaction is rolled back.
        """
        if not row["ok"]:
            raise Forbidden("The record would leave what your role may write.", reason="row_rule")
        keys = {name: row[f"{KEY}{n}"] for n, name in enumerate(target.keys)}
        return Record(row["body"], row["mark"], keys, target.sealed)

    # -- create ------------------------------------------------------------------------------------------------------

    async def create(self, table: Table, record: Mapping[str, Any], forced: Mapping[str, Any] | None = None) -> Record:
        """Create one record with its nested records. `forced`: references to the record above it."""
        self._count()
        right = self.right(table, "POST")
        change = take_apart(table, right, record, skip=forced or ())
        await nested.hold(self, right, change)
        refusals.at_create(self.call, right, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.sets((name,))})
        if change.empty and not right.stamp and (record or self.depth):  # {} is a row of defaults
            raise BadRequest(f"The record has no field of '{table.name}'.", reason="no_fields")
        conflict = self._conflict(table, change, record) if self.options.upsert and not self.depth else None
        extra = nested.needed(change)
        target = self.target(table, right, self.fields(table), extra)
        key = (table.name, tuple(change.values), tuple(change.expressions.items()), target.fields, extra)
        values = self.values(change.values)
        if conflict and self.options.ignore_existing:
            names = tuple(c.name for c in conflict)
            row = await self.fetch(("ignore", names, *key), lambda: statements.insert(target, change, conflict), values)
            if row is None:
                if refusal := await refusals.reference_of_new(self, table, change):
                    raise refusal
                return Record(b"", "", {}, ignored=True)
        elif conflict:
            update = self.right(table, "PATCH")
            names = tuple(c.name for c in conflict)
            row = await self.fetch(
                ("upsert", names, *key), lambda: statements.upsert(target, change, conflict, update), values
            )
        else:
            row = await self.fetch(("insert", *key), lambda: statements.insert(target, change), values)
        if row is None:
            raise await refusals.not_created(self, table, change, conflict)
        written = self.written_record(row, target)
        await nested.children(self, table, change, written)
        return written

    def _conflict(self, table: Table, change: Change, record: Mapping[str, Any]) -> list[Column] | None:
        """Return the unique fields by which an upsert finds its record, or None when the record lacks one.

        Raises:
            Forbidden: the table has a hook for changes and none for creates.
            BadRequest: the record is named by a field that only the database sets.
        """
        if self.call.dataset.hooked(table.name, "PATCH") and not self.call.dataset.hooked(table.name, "POST"):
            raise Forbidden(f"'{table.name}' has no upsert. Use POST or PATCH.", reason="no_upsert")
        columns = plan.identifying(table, self.options.id_field, self.right(table, "POST"))
        if not all(change.values.get(column.name) is not None for column in columns):
            refusals.named_by_database(table, columns, record)
            return None
        names = {column.name for column in columns}
        unique = next(unique for unique in table.uniques if unique <= names)
        return [column for column in columns if column.name in unique]

    # -- change and delete -------------------------------------------------------------------------------------------

    async def change(
        self,
        table: Table,
        key: list[Column],
        ident: list[Any],
        record: Mapping[str, Any],
        *,
        forced: Mapping[str, Any] | None = None,
    ) -> Record:
        """Change one record with its nested records. `key`: the identifying fields, `ident` their values.

        Raises:
            NotFound: the record does not exist for the caller.
        """
        self._count()
        right = self.right(table, "PATCH")
        skip = {c.name for c in key} | set(forced or ()) | (set(table.key) if not self.options.id_field else set())
        change = take_apart(table, right, record, skip=skip)
        await nested.hold(self, right, change)
        await refusals.at_change(self, table, right, key, ident, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.sets((name,))})
        extra = nested.needed(change)
        target = self.target(table, right, self.fields(table), extra)
        match = self._match(table)
        values = self.values(change.values, ident)
        if match:
            assert values.record is not None
            values.record["if-match"] = match
        names = tuple(c.name for c in key)
        if change.empty:
            row = await self.fetch(
                ("find", "PATCH", table.name, names, target.fields, extra), lambda: checks.find(target, key), values
            )
            if row is not None and match and row["mark"] not in match.split():
                raise etag.precondition_failed()
        else:
            parts = (tuple(change.values), tuple(change.expressions.items()))
            plan_key = ("update", table.name, names, *parts, target.fields, extra, bool(match))
            row = await self.fetch(plan_key, lambda: statements.update(target, change, key, match=bool(match)), values)
        if row is None:
            raise await refusals.not_changed(self, table, key, ident, change, match)
        written = self.written_record(row, target)
        await nested.children(self, table, change, written)
        return written

    def _match(self, table: Table) -> str:
        """Return the versions of `If-Match`, which apply to the record of the request, not to nested ones."""
        return "" if self.depth or table is not self.call.table else etag.if_match(self.call.headers)

    async def delete(self, table: Table, key: list[Column], ident: list[Any]) -> Record:
        """Delete one record, and return it as it was.

        Raises:
            NotFound: the record does not exist for the caller.
        """
        self._count()
        right = self.right(table, "DELETE")
        target = self.target(table, right, self.fields(table))
        match = self._match(table)
        values = self.values({"if-match": match} if match else {}, ident)
        before = await again.of_record(self, table, key, ident) if self.options.beyond_row and not self.depth else None
        plan_key = ("delete", table.name, tuple(c.name for c in key), target.fields, bool(match))
        row = await self.fetch(plan_key, lambda: statements.delete(target, key, match=bool(match)), values)
        if row is None:
            raise await refusals.gone(self, table, "DELETE", key, ident, match)
        written = self.written_record(row, target)
        if before is not None:
            written.body = before.body
        return written

    # -- by filter ---------------------------------------------------------------------------------------------------

    async def by_filter(self, record: Mapping[str, Any] | None, text: str) -> tuple[bytes, list[list[Any]]]:
        """Change, or with `record` None delete, all records of a filter in one statement.

        Returns the records as a JSON array, and their keys.
        """
        table, verb = self.call.table, "DELETE" if record is None else "PATCH"
        right = self.right(table, verb)
        parsed, literals = cache.parse(text, self.call.dataset.bounds.filter)
        change = None
        if record is not None:
            change = take_apart(table, right, record, skip=table.key)
            tenant_guard.drop_own(self.call, change.refused)
            if change.relations:
                raise BadRequest("Nested records cannot be written by filter. Send ids.", reason="bad_records")
            if change.refused:
                raise tenant_guard.field_refusal(self.call, change.refused)
            if change.empty:
                raise BadRequest(f"The record has no field of '{table.name}'.", reason="no_fields")
        target = self.target(table, right, self.fields(table))
        target.binder.params = self.options.params
        names = (tuple(change.values), tuple(change.expressions.items())) if change else ()
        params = plan.params_key(self.options.params)
        key = ("filter", verb, table.name, names, target.fields, parsed.key, params)
        values = self.values(change.values if change else {}, None, literals)
        if change is not None:
            await refusals.by_filter(self, table, change, parsed.tree, values, key)
        row = await self.fetch(key, lambda: statements.by_filter(target, change, parsed.tree), values)
        if row["ok"] is False:
            raise Forbidden("A record would leave what your role may write.", reason="row_rule")
        keys = [list(parts) for parts in zip(*(row[f"{KEY}{n}"] or [] for n in range(len(target.keys))), strict=True)]
        return row["body"] or b"[]", keys

    async def everything(self) -> None:
        """Delete all records of the table, for option `force`."""
        table = self.call.table
        target = self.target(table, self.right(table, "DELETE"), "")
        await self.fetch(("everything", table.name), lambda: statements.everything(target), self.values({}))
