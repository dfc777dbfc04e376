"""Writes: takes records apart, runs the statements of write.py, checks the rule of rows before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest, Forbidden
from tableapi.http import etag
from tableapi.query import answer_size, dml, plan, rules
from tableapi.query.change import Change, take_apart
from tableapi.query.dml import Target
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.plan import Bindings, ReadRequest
from tableapi.query.where import Binder
from tableapi.schema.model import Column, Table
from tableapi.tables import nested, refusals, tenant_guard
from tableapi.tables.read import TableRequest


@dataclass(slots=True)
class Written:
    """One record after the change: what is answered, its version, and its key fields by name."""

    body: bytes
    mark: str
    keys: dict[str, Any]
    sealed: bool = False


@dataclass(slots=True)
class Writer:
    """The writes of one request, on one connection."""

    call: TableRequest
    options: Options
    connection: asyncpg.Connection
    depth: int = 0
    written: int = 0
    statements: list[tuple[str, Any]] = field(default_factory=list)  # what was run: SQL, and what it binds
    _rights: dict[tuple[int, str], Right] = field(default_factory=dict)

    # -- rights and small things -------------------------------------------------------------------------------------

    def right(self, table: Table, verb: str) -> Right:
        """Raises Forbidden without a right, and for a nested record of a table whose hook would be passed by."""
        if self.depth and verb != "GET" and self.call.dataset.hooked(table.name, verb):
            raise Forbidden(f"'{table.name}' cannot be written inside another record.", reason="not_nested")
        mark = (id(table), verb)
        if mark not in self._rights:
            self._rights[mark] = plan.right_of(table, self.call.rights, verb)
            rules.refuse(table, verb, upsert=self.options.upsert and not self.depth)
        return self._rights[mark]

    def target(self, table: Table, right: Right, fields: str | None, extra: tuple[str, ...] = ()) -> Target:
        keys = tuple(dict.fromkeys((*table.key, *extra)))
        return Target(table, right, self.call.rights, fields, keys, Binder())

    def fields(self, table: Table) -> str | None:
        """The fields of the answer: for the table of the request as asked, by default the identifying ones."""
        if table is not self.call.table or self.depth:
            return ""
        if self.options.fields is None or self.options.as_list:
            return self.options.id_field or ""
        return self.options.fields

    async def fetch(self, key: tuple[Any, ...], build: Callable[[], Any], values: Bindings) -> Any:
        """Run a statement that is compiled once per shape; its first row, or None."""
        full = ("write", self.call.actor.role, *key)
        made = self.call.dataset.plan_cache.get(full)
        if made is None:
            shape = build()
            made = (shape.sql, plan.bound(shape))
            self.call.dataset.keep(full, made)
        self.statements.append(made)
        sql, binders = made
        return await self.connection.fetchrow(sql, *[get(values) for get in binders])

    def values(
        self, record: Mapping[str, Any], ident: list[Any] | None = None, literals: list[str] | None = None
    ) -> Bindings:
        found = Bindings(self.call.actor, literals or [], self.options.params, [ident] if ident else [])
        found.record = dict(record)
        return found

    def _counted(self) -> None:
        self.written += 1
        if self.written > self.call.dataset.bounds.records * 2:
            raise BadRequest("Too many nested records in one request.", reason="too_many_records")

    def _made(self, row: Any, target: Target) -> Written:
        if not row["ok"]:
            raise Forbidden("The record would leave what your role may write.", reason="row_rule")
        keys = {name: row[f"our {n}"] for n, name in enumerate(target.keys)}
        return Written(row["body"], row["mark"], keys, target.sealed)

    # -- create ------------------------------------------------------------------------------------------------------

    async def create(self, table: Table, record: Mapping[str, Any], forced: Mapping[str, Any] | None = None) -> Written:
        """Create one record with its nested records. `forced`: references set by the record above it."""
        self._counted()
        right = self.right(table, "POST")
        change = take_apart(table, right, record, skip=forced or ())
        await nested.hold(self, right, change)
        refusals.at_create(self.call, right, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.sets((name,))})
        if change.empty and not right.stamp:
            raise BadRequest(f"The record has no field of '{table.name}'.", reason="no_fields")
        conflict = self._conflict(table, change) if self.options.upsert and not self.depth else None
        extra = nested.needed(change)
        target = self.target(table, right, self.fields(table), extra)
        key = (table.name, tuple(change.values), tuple(change.expressions.items()), target.fields, extra)
        values = self.values(change.values)
        if conflict:
            update = self.right(table, "PATCH")
            names = tuple(c.name for c in conflict)
            row = await self.fetch(
                ("upsert", names, *key), lambda: dml.upsert(target, change, conflict, update), values
            )
        else:
            row = await self.fetch(("insert", *key), lambda: dml.insert(target, change), values)
        if row is None:
            raise await refusals.not_created(self, table, change, conflict)
        made = self._made(row, target)
        await nested.children(self, table, change, made)
        return made

    def _conflict(self, table: Table, change: Change) -> list[Column] | None:
        if self.call.dataset.hooked(table.name, "PATCH") and not self.call.dataset.hooked(table.name, "POST"):
            raise Forbidden(f"'{table.name}' has no upsert. Use POST or PATCH.", reason="no_upsert")
        wanted = plan.identifying(table, self.options.id_field, self.right(table, "POST"))
        if not all(change.values.get(c.name) is not None for c in wanted):
            return None
        names = {c.name for c in wanted}
        unique = next(unique for unique in table.uniques if unique <= names)
        return [c for c in wanted if c.name in unique]

    # -- change ------------------------------------------------------------------------------------------------------

    async def change(
        self,
        table: Table,
        wanted: list[Column],
        ident: list[Any],
        record: Mapping[str, Any],
        *,
        forced: Mapping[str, Any] | None = None,
    ) -> Written:
        """Change one record. Raises NotFound when the caller cannot see it."""
        self._counted()
        right = self.right(table, "PATCH")
        skip = {c.name for c in wanted} | set(forced or ()) | (set(table.key) if not self.options.id_field else set())
        change = take_apart(table, right, record, skip=skip)
        await nested.hold(self, right, change)
        await refusals.at_change(self, table, right, wanted, ident, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.sets((name,))})
        extra = nested.needed(change)
        target = self.target(table, right, self.fields(table), extra)
        match = self._match(table)
        values = self.values(change.values, ident)
        if match:
            assert values.record is not None
            values.record["if-match"] = match
        names = tuple(c.name for c in wanted)
        if change.empty:
            row = await self.fetch(
                ("find", table.name, names, target.fields, extra), lambda: dml.find(target, wanted), values
            )
            if row is not None and match and row["mark"] not in match.split():
                raise etag.precondition_failed()
        else:
            key = (
                "update",
                table.name,
                names,
                tuple(change.values),
                tuple(change.expressions.items()),
                target.fields,
                extra,
                bool(match),
            )
            row = await self.fetch(key, lambda: dml.update(target, change, wanted, match=bool(match)), values)
        if row is None:
            raise await refusals.not_changed(self, table, wanted, ident, change, match)
        made = self._made(row, target)
        await nested.children(self, table, change, made)
        return made

    def _match(self, table: Table) -> str:
        """Those of the request hold for the record that it names, not for those inside it."""
        return "" if self.depth or table is not self.call.table else etag.if_match(self.call.headers)

    # -- delete ------------------------------------------------------------------------------------------------------

    async def delete(self, table: Table, wanted: list[Column], ident: list[Any]) -> Written:
        self._counted()
        right = self.right(table, "DELETE")
        target = self.target(table, right, self.fields(table))
        match = self._match(table)
        values = self.values({"if-match": match} if match else {}, ident)
        before = await self.again(table, wanted, ident) if self.options.related.strip() and not self.depth else None
        key = ("delete", table.name, tuple(c.name for c in wanted), target.fields, bool(match))
        row = await self.fetch(key, lambda: dml.delete(target, wanted, match=bool(match)), values)
        if row is None:
            raise await refusals.gone(self, table, right, wanted, ident, match)
        made = self._made(row, target)
        if before is not None:
            made.body = before.body
        return made

    # -- by filter ---------------------------------------------------------------------------------------------------

    async def by_filter(self, record: Mapping[str, Any] | None, text: str) -> tuple[bytes, list[list[Any]]]:
        """Change (or with None delete) all records of a filter in one statement: (JSON array, key values)."""
        table, verb = self.call.table, "DELETE" if record is None else "PATCH"
        right = self.right(table, verb)
        found, literals = cache.parse(text, self.call.dataset.bounds.filter) if text.strip() else (None, [])
        change = None
        if record is not None:
            change = take_apart(table, right, record, skip=table.key)
            tenant_guard.drop_own(self.call, change.refused)
            if change.relations:
                raise BadRequest("Nested records need one record at a time: use ids.", reason="bad_records")
            if change.refused:
                raise tenant_guard.field_refusal(self.call, change.refused)
            if change.empty:
                raise BadRequest(f"The record has no field of '{table.name}'.", reason="no_fields")
        target = self.target(table, right, self.fields(table))
        target.binder.params = self.options.params
        names = (tuple(change.values), tuple(change.expressions.items())) if change else ()
        params = plan.params_shape(self.options.params)
        key = ("filter", verb, table.name, names, target.fields, found.key if found else None, params)
        values = self.values(change.values if change else {}, None, literals)
        tree = found.tree if found else None
        if change is not None:
            await refusals.by_filter(self, table, change, tree, values, key)
        row = await self.fetch(key, lambda: dml.by_filter(target, change, tree, 0), values)
        if row["ok"] is False:
            raise Forbidden("A record would leave what your role may write.", reason="row_rule")
        keys = [list(parts) for parts in zip(*(row[f"our {n}"] or [] for n in range(len(target.keys))), strict=True)]
        return row["body"] or b"[]", keys

    async def everything(self) -> None:
        """DELETE with force=true."""
        table = self.call.table
        target = self.target(table, self.right(table, "DELETE"), "")
        await self.fetch(("everything", table.name), lambda: dml.everything(target), self.values({}))

    async def again(self, table: Table, wanted: list[Column], ident: list[Any]) -> Written | None:
        """The record as the request wants it answered, with its relations, read in the same transaction."""
        right = self.call.rights.right(table, "GET") or self.right(table, "POST")
        made = self.call.options() if self.call.body is None or isinstance(self.call.body, dict) else self.options
        options = self.options
        if options.fields is None:
            options.fields = options.id_field or ""
        asked = ReadRequest(table, right, self.call.rights, options, None, self.call.dataset.bounds)
        found = plan.keyed_plan(asked, wanted, 1)
        values = Bindings(self.call.actor, [], made.params, [ident])
        await answer_size.check(self.call.dataset.bounds, self.connection.fetchrow, found, values)
        row = await self.connection.fetchrow(found.sql, *found.args(values))
        return Written(row["body"], row["mark"], {}, found.sealed) if row is not None else None
