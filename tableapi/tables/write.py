"""Write records: one with its nested records, a list together, or all that match a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import asyncpg

from tableapi import exact_json, threads
from tableapi.auth.rights import Right
from tableapi.datasets import answer_size
from tableapi.datasets.plan_cache import options_key
from tableapi.db.errors import to_api_error
from tableapi.errors import ApiError, BadRequest, Busy, Conflict, Forbidden, Stale
from tableapi.http import etag
from tableapi.query.dml import conditions, statements
from tableapi.query.dml.plan import Change, WritePlan, take_apart
from tableapi.query.dml.target import KEY, reads_itself
from tableapi.query.expressions.conditions import EXACT
from tableapi.query.filter import cache
from tableapi.query.option_values import MAX_NUMBER
from tableapi.query.options import computed
from tableapi.query.plan import Bindings, ReadRequest, identifier, identifying, keyed_plan, list_plan, right_of, rounded
from tableapi.query.plan import conditions as plan_conditions
from tableapi.query.spelling import spelled
from tableapi.query.statement import arguments
from tableapi.schema.model import Column, Table
from tableapi.schema.types import BadValue, KeyText, stored
from tableapi.tables import errors, nested
from tableapi.tables.batch import trying
from tableapi.tables.run import Record, Run
from tableapi.tables.targets import Item

MAX_ROWS = 500  # per statement; change streams restart after a larger change


@dataclass(slots=True)
class ChangeGroup:
    """Records of a list that set the same fields.

    rows: for each, its position in the list, its identifier and its values to bind.
    """

    change: Change
    rows: list[tuple[int, tuple[Any, ...], tuple[Any, ...]]] = field(default_factory=list)


class Ambiguous(ApiError):
    """Roll the statements back, because the records have to be written in list order."""


class Writer(Run):
    """All writes of one request."""

    __slots__ = ()

    # -- one record of the request -----------------------------------------------------------------------------------

    async def write(self, verb: str, item: Item) -> Record:
        """Create, change or delete one record of the request, and return it as shown in the response.

        Raises:
            ApiError, PostgresError: the record is not written.
        """
        self._count()
        beyond_row = self.options.beyond_row(self.call.table)
        if beyond_row:
            await self.hold()
        ident, record = item
        plan = self.known_plan(verb, record)
        written = await self.run_known(plan, ident, record) if plan is not None else None
        written = written or await self._by_new_plan(verb, ident, record)
        if beyond_row and verb != "DELETE" and not written.ignored:
            return await self._read_again(written)
        return written

    async def write_apart(self, verb: str, item: Item) -> Record:
        """Write one record independently of others; a deferred constraint then rejects only this record."""
        record = await self.write(verb, item)
        if self.transactional:
            await self.connection.execute("set constraints all immediate")
        return record

    def known_plan(self, verb: str, record: dict[str, Any]) -> WritePlan | None:
        """Return the plan of an earlier record with the same fields and options, or None."""
        shape = self._shape(verb, record)
        return self.call.dataset.plan_cache.get(shape) if shape is not None else None

    async def run_known(self, plan: WritePlan, ident: Any, record: dict[str, Any]) -> Record | None:
        """Write a record by a known plan; None if it wrote no row. Planning it again finds the reason.

        If no transaction is needed, the statement shares its connection with others.
        """
        values = Bindings(self.call.actor, [], {}, [identifier(ident, list(plan.ident))] if plan.ident else [])
        values.record = record | {"if-match": self.match} if self.match else record
        if self.connection is None and not plan.transaction:
            try:  # as in `sent`, which would be one more coroutine
                row = await self.call.dataset.db.writes.fetchrow(plan.sql, *arguments(plan.parameters, values))
            except errors.OF_TABLE as error:
                raise errors.violated(self.call, error) from None
        else:
            row = await self.fetch(plan, values)
        if row is not None:
            written = self.record_of(plan, row)
            self.note(self.call.table, "PATCH" if plan.ident else "POST", written.keys)
            return written
        if not plan.ident and not plan.guarded:
            raise errors.not_created()
        return None

    def _shape(self, verb: str, record: dict[str, Any]) -> tuple[Any, ...] | None:
        """Return the key of the plan for records with these fields; None if they cannot be cached."""
        given, call = self.options, self.call
        if verb == "DELETE" or given.upsert or dict in map(type, record.values()):
            return None
        form = (given.fields, given.id_field, given.as_list, given.minimal, given.exact_texts, bool(self.match))
        return "record", call.actor.role, call.table.name, verb, *form, *record

    def _remember(
        self, plan: WritePlan, verb: str, record: Mapping[str, Any], right: Right, skipped: Iterable[str] = ()
    ) -> None:
        """Cache a plan for later records of the request's table with these fields."""
        left_out = right.ignored.union(skipped)
        known = all(n in self.call.table.columns and (right.can_write(n) or n in left_out) for n in record)
        if known and not self.depth and (shape := self._shape(verb, dict(record))) is not None:
            self.call.dataset.plan_cache.keep(shape, plan)

    async def _by_new_plan(self, verb: str, ident: Any, record: dict[str, Any]) -> Record:
        table = self.call.table
        if verb == "POST":
            return await self.create(table, record)
        right = right_of(table, self.call.rights, "DELETE" if verb == "DELETE" else "PATCH")
        key = identifying(table, self.options.id_field, right)
        if verb == "PUT":
            return await self._put(key, identifier(ident, key), record)
        if verb == "PATCH":
            return await self.change(table, key, identifier(ident, key), record)
        ident = errors.checked(self.call, ident) if isinstance(ident, dict) else ident
        return await self.delete(table, key, identifier(ident, key))

    async def _put(self, key: list[Column], ident: list[Any], record: dict[str, Any]) -> Record:
        """Change the record named by the path, or create it under that identifier."""
        table = self.call.table
        right_of(table, self.call.rights, "POST")
        only_new = self.call.headers.get("if-none-match", "").strip() == "*"
        if only_new:
            self.options = replace(self.options, upsert=False)
        names = {column.name: part for column, part in zip(key, ident, strict=True)}
        named = {name: value for name, value in spelled(table, record).items() if name not in names}
        try:
            return await self.create(table, named | names)
        except (ApiError, asyncpg.PostgresError) as error:
            api_error = to_api_error(error)
            if only_new and api_error is not None and api_error.reason == "duplicate":
                raise Stale("The record already exists.") from None
            raise

    def _count(self) -> None:
        """Count one more record, including nested ones."""
        self.written += 1
        if self.written > self.call.dataset.limits.records * 2:
            raise BadRequest(
                "The request has too many records, nested ones included. Send them in parts.", reason="too_many_records"
            )

    def _fields(self, table: Table) -> str | None:
        """Return the fields to respond with: as requested for the request's own table, the key for others."""
        if table is not self.call.table or self.depth:
            return ""
        if self.options.fields is None or self.options.as_list or computed(table, self.options.fields):
            return self.options.id_field or ""
        return self.options.fields

    async def _read_again(self, written: Record) -> Record:
        """Read a written record again, with the relations and computed fields that were requested."""
        table = self.call.table
        if not table.key or not set(table.key) <= written.keys.keys():  # no column of the row is returned
            return written
        record = await self._stored([table.columns[n] for n in table.key], [written.keys[n] for n in table.key])
        return replace(record, mark=written.mark) if record is not None else written

    async def _stored(self, key: list[Column], ident: list[Any]) -> Record | None:
        """Return a record as shown in the response, or None if the caller may not read it."""
        table = self.call.table
        right = self.call.rights.right(table, "GET") or self.right(table, "POST")
        rows, sealed = await self._read(right, key, [ident], 1)
        return Record(rows[0]["body"], rows[0]["mark"], {}, sealed) if rows else None

    async def _read(self, right: Right, key: list[Column], idents: list[list[Any]], most: int) -> tuple[list[Any], int]:
        """Read records on the connection of the write. Return their rows, and `Plan.sealed`."""
        call, limits, count = self.call, self.call.dataset.limits, rounded(most)
        options = replace(self.options, ids=None) if self.options.ids else self.options  # a plan keeps its options
        request = ReadRequest(call.table, right, call.rights, options, None, limits)
        columns = tuple(column.name for column in key)
        name = ("written", call.actor.role, call.table.name, columns, count, *options_key(self.options, limits.filter))
        keyed = await call.dataset.plan_cache.plan(
            "written", name, call.table, self.options, keyed_plan, request, key, count
        )
        literals_of = plan_conditions(options, limits.filter) if options.relations else {}
        values = Bindings(call.actor, [], options.params, idents, limits=limits.filter, conditions=literals_of)
        await answer_size.check(limits, self.connection.fetchrow, keyed, values)
        return await self.connection.fetch(keyed.sql, *keyed.args(values)), keyed.sealed

    def _match(self, table: Table) -> str:
        """Return the versions in `If-Match`, which apply to the record of the request but not to nested ones."""
        return "" if self.depth or table is not self.call.table else self.match

    # -- create ------------------------------------------------------------------------------------------------------

    async def create(self, table: Table, record: Mapping[str, Any], forced: Mapping[str, Any] | None = None) -> Record:
        if self.depth:
            self._count()
        right = self.right(table, "POST")
        change = take_apart(table, right, record, skip=forced or ())
        if change.relations:
            await self.hold()
        await nested.hold(self, right, change)
        errors.check_create(self.call, right, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.may_set((name,))})
        named = self.depth or (record and not change.relations)  # {}, or nothing but children, is a row of defaults
        if change.empty and not right.set_on_create and named:
            raise errors.no_fields(table, right, record)
        upsert = self.options.upsert and not self.depth
        unique = self._unique(table, change, record) if upsert else None
        if self.options.get_existing and not self.depth:
            right_of(table, self.call.rights, "GET")
            if self.options.fields is None:
                self.options = replace(self.options, fields=self.options.id_field or "")
        updates = bool(unique) and not self.options.ignore_existing
        found = None
        if unique and updates and statements.looks_first(table, right, change):
            found = await self._change_existing(table, unique, change)
        if found is None:
            target = self.target(table, "POST", self._fields(table), nested.needed(change))
            if unique and updates and not (table.no_arbiters and statements.lacks_arbiter(table, unique)):
                plan = self.plan(statements.upsert, target, change, unique, self.right(table, "PATCH"))
            else:
                plan = self.plan(statements.insert, target, change, [] if updates else unique or [])
                self._remember(plan, "POST", record, right)
            found = plan, await self.fetch(plan, self.values(change.values))
        plan, row = found
        if row is None and unique and self.options.ignore_existing:
            if (error := await self.bad_reference(table, change)) is not None:
                raise error
            if self.options.get_existing:
                return await self._existing(unique, change)
            return Record(b"", "", {}, ignored=True)
        if row is None:
            raise await self.not_created(table, change, unique)
        written = self.record_of(plan, row)
        self.note(table, "POST", written.keys)
        await nested.children(self, table, change, written)
        return written

    async def _change_existing(
        self, table: Table, unique: list[Column], change: Change
    ) -> tuple[WritePlan, Any] | None:
        """Change the record that an upsert finds by its unique fields; None if there is none."""
        right, names = self.right(table, "PATCH"), {column.name for column in unique}
        target = self.target(table, "PATCH", self._fields(table), nested.needed(change))
        rest = Change(
            {n: value for n, value in change.values.items() if n not in names and right.can_write(n)},
            {n: text for n, text in change.expressions.items() if n not in names and right.can_write(n)},
            change.operators,
        )
        ident = [change.values[column.name] for column in unique]
        if rest.empty:
            plan = self.plan(statements.find, target, unique)
        else:
            plan = self.plan(statements.update, target, rest, unique, False)
        row = await self.fetch(plan, self.values(rest.values, ident))
        if row is None and plan.guarded and (error := await self._violated(table, unique, ident, rest)) is not None:
            raise error
        return (plan, row) if row is not None else None

    async def _existing(self, unique: list[Column], change: Change) -> Record:
        """Return the existing record that prevented a create.

        It is read by a separate statement, which sees everything committed since the first one began. Raises Conflict
        if the caller may not read it, like a create without `upsert`.
        """
        await self.hold()
        record = await self._stored(unique, [change.values[column.name] for column in unique])
        if record is None:
            raise Conflict("A record with this value already exists.", reason="duplicate")
        return record

    def _unique(self, table: Table, change: Change, record: Mapping[str, Any]) -> list[Column] | None:
        """Return the unique fields that identify the record of an upsert, or None if it lacks one.

        Raises:
            Forbidden: the table has a hook for changes and none for creates.
            BadRequest: the identifying field is one that only the database sets.
        """
        if self.call.dataset.hooked(table.name, "PATCH") and not self.call.dataset.hooked(table.name, "POST"):
            raise Forbidden(f"'{table.name}' does not support upserts. Use POST or PATCH.", reason="no_upsert")
        columns = identifying(table, self.options.id_field, self.right(table, "POST"))
        if not all(change.values.get(column.name) is not None for column in columns):
            errors.check_generated(table, columns, record)
            return None
        names = {column.name for column in columns}
        found = [unique for unique in table.uniques if unique <= names]
        unique = min(found, key=table.no_arbiters.__contains__)
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
        if self.depth:
            self._count()
        right = self.right(table, "PATCH")
        skip = {c.name for c in key} | set(forced or ()) | (set(table.key) if not self.options.id_field else set())
        change = take_apart(table, right, record, skip=skip)
        if change.relations:
            await self.hold()
        await nested.hold(self, right, change)
        await self.check_change(table, key, ident, change, forced or {})
        await nested.parents(self, change)
        change.values.update({name: value for name, value in (forced or {}).items() if right.may_set((name,))})
        target = self.target(table, "PATCH", self._fields(table), nested.needed(change))
        match = self._match(table)
        values = self.values(change.values | {"if-match": match} if match else change.values, ident)
        if change.empty:
            plan = self.plan(statements.find, target, key)
            row = await self.fetch(plan, values)
            if row is not None and match and row["mark"] not in match.split():
                raise etag.precondition_failed()
        else:
            plan = self.plan(statements.update, target, change, key, bool(match))
            self._remember(plan, "PATCH", record, right, skip)
            row = await self.fetch(plan, values)
        if row is None:
            raise await self.not_changed(table, key, ident, change, match)
        written = self.record_of(plan, row)
        if not change.empty:
            self.note(table, "PATCH", written.keys)
        await nested.children(self, table, change, written)
        return written

    async def delete(self, table: Table, key: list[Column], ident: list[Any]) -> Record:
        if self.depth:
            self._count()
        target = self.target(table, "DELETE", self._fields(table))
        match = self._match(table)
        before = await self._stored(key, ident) if self.options.beyond_row(self.call.table) and not self.depth else None
        plan = self.plan(statements.delete, target, key, bool(match))
        row = await self.fetch(plan, self.values({"if-match": match} if match else {}, ident))
        if row is None:
            raise await self.gone(table, "DELETE", key, ident, match)
        written = self.record_of(plan, row)
        self.note(table, "DELETE", written.keys)
        if before is not None:
            written.body = before.body
        return written

    # -- a list of changes -------------------------------------------------------------------------------------------

    async def change_together(self, items: list[Item]) -> dict[int, Record]:
        """Change the records of a list that can be changed together, and return them by position.

        Records that set the same fields are changed by one statement. All others are left to `write`: records with
        nested records, with fields that may not be written or with a duplicate key, and records that the statement did
        not change. After an error, the statements are rolled back and the records are written one by one to find the
        one at fault.

        Raises:
            PostgresError: a deadlock or concurrent DDL, after which the whole request is retried.
        """
        if self.options.beyond_row(self.call.table) or self.match or "if-match" in self.call.headers:
            return {}
        try:
            changed = await trying(self._change_groups(items), alone=self.options.go_on)
        except Busy as error:
            if error.reason != "time_limit":  # per statement, which is long enough for one record of a slow table
                raise
            return {}
        return {} if isinstance(changed, ApiError) else changed

    async def _change_groups(self, items: list[Item]) -> dict[int, Record]:
        table = self.call.table
        right = self.right(table, "PATCH")
        key = identifying(table, self.options.id_field, right)
        groups = self._groups(key, items)
        if not groups or table.kind not in "rpv" or table.rules or reads_itself(right, table):
            return {}
        changed: dict[int, Record] = {}
        async with self.apart():
            for group in groups:
                changed |= await self._change_group(key, group)
            keys = [tuple(record.keys.values()) for record in changed.values()]
            # Identifiers that differ in Python may be equal in PostgreSQL, and a row must not be changed twice.
            if not _exact(key) and (() in keys or len(set(keys)) < len(keys)):
                raise Ambiguous("Two identifiers are equal for PostgreSQL.")
        return changed

    def _groups(self, key: list[Column], items: list[Item]) -> list[ChangeGroup]:
        """Group the records that can be changed together by the fields that they set."""
        table = self.call.table
        right = self.right(table, "PATCH")
        skip = {column.name for column in key} | (set(table.key) if not self.options.id_field else set())
        groups: dict[tuple[Any, ...], ChangeGroup] = {}
        shared: dict[tuple[Any, ...], list[int]] = {}
        for place, (sent, record) in enumerate(items):
            try:
                parts = identifier(sent, key)
                ident = tuple(stored(column.type, part) for column, part in zip(key, parts, strict=True))
                shared.setdefault(ident, []).append(place)
                change = take_apart(table, right, record, skip)
                values = tuple(_stored(table.columns[name], value) for name, value in change.values.items())
            except (ApiError, BadValue):
                continue
            if change.relations:
                return []  # nested records may also be in the list
            errors.drop_own(self.call, change.rejected)
            if not (change.empty or change.rejected):
                groups.setdefault(change.shape, ChangeGroup(change)).rows.append((place, ident, values))
        repeated = {place for places in shared.values() if len(places) > 1 for place in places}
        for group in groups.values():
            group.rows = [row for row in group.rows if row[0] not in repeated]
        fields = {name for group in groups.values() for name in group.change.names}
        if conditions.refers_to_itself(table, self.call.rights, fields):
            return []
        parted = [
            ChangeGroup(group.change, group.rows[start : start + MAX_ROWS])
            for group in groups.values()
            for start in range(0, len(group.rows), MAX_ROWS)
        ]
        return [part for part in parted if len(part.rows) > 1]

    async def _change_group(self, key: list[Column], group: ChangeGroup) -> dict[int, Record]:
        """Change the records of one group, and return the changed ones by their position in the list."""
        table = self.call.table
        plan = self.plan(
            statements.update_several, self.target(table, "PATCH", self._fields(table)), group.change, key
        )  # fmt: skip
        places, idents, fields = zip(*group.rows, strict=True)
        sent = (*(f"{KEY}{place}" for place in range(len(key))), *group.change.values)
        columns = [list(column) for column in (*zip(*idents, strict=True), *zip(*fields, strict=True))]
        values = self.values(dict(zip(sent, columns, strict=True)))
        rows = await self.sent(self.connection.fetch(plan.sql, *arguments(plan.parameters, values)))
        if len(rows) < len(places) and not _exact(key):
            raise Ambiguous("Two identifiers may be equal for PostgreSQL.")
        changed = {places[row[statements.PLACE] - 1]: self.record_of(plan, row) for row in rows}
        for record in changed.values():
            self.note(table, "PATCH", record.keys)
        return changed

    # -- by filter ---------------------------------------------------------------------------------------------------

    async def write_matching(self, text: str, record: Mapping[str, Any] | None) -> bytes:
        """Change all records matching a filter in one statement, or delete them if `record` is None.

        Returns the records as a JSON array, with the requested relations.
        """
        await self.hold()
        related = self.options.beyond_row(self.call.table)
        before = await self._read_all(await self._keys_of(text)) if related and record is None else None
        body, keys = await self._by_filter(text, record)
        if (most := self.options.max_affected) is not None:
            errors.check_affected(most, len(await threads.body(len(body), exact_json.loads, body)))
        if related and record is not None:
            before = await self._read_all(keys)
        return before or body

    async def _by_filter(self, text: str, record: Mapping[str, Any] | None) -> tuple[bytes, list[list[Any]]]:
        """Write the records matching a filter, and return them as a JSON array, with their keys."""
        table = self.call.table
        verb = "DELETE" if record is None else "PATCH"
        right = self.right(table, verb)
        parsed, literals = cache.parse(text, self.call.dataset.limits.filter)
        form = self.options, self.call.dataset.limits.filter
        target = self.target(table, verb, self._fields(table))
        if record is None:
            plan = await self.filtered_plan(statements.by_filter, target, None, parsed, *form)
            values = self.values({}, None, literals)
        else:
            change = take_apart(table, right, record, skip=table.key)
            errors.drop_own(self.call, change.rejected)
            if change.relations:
                raise BadRequest("Nested records cannot be written with a filter. Send ids.", reason="bad_records")
            if change.rejected:
                raise errors.field_error(self.call, change.rejected)
            if change.empty:
                raise errors.no_fields(table, right, record)
            values = self.values(change.values, None, literals)
            plan = await self.filtered_plan(statements.by_filter, target, change, parsed, *form)
            if plan.guarded:
                target = self.target(table, verb)
                check = await self.filtered_plan(statements.check_changes, target, change, parsed, *form)
                if error := self.violated_by(await self.fetch(check, values), table, change):
                    raise error
        row = await self.fetch(plan, values)
        if row["ok"] is False:
            raise errors.leaves_rights()
        columns = [row[f"{KEY}{n}"] or [] for n in range(len(plan.keys))]
        columns = [
            list(map(KeyText, column)) if name in plan.texts else column
            for name, column in zip(plan.keys, columns, strict=True)
        ]
        keys = [list(parts) for parts in zip(*columns, strict=True)]
        for parts in keys if self.call.written is not None else ():
            self.note(table, verb, dict(zip(plan.keys, parts, strict=True)))
        return row["body"] or b"[]", keys

    async def _keys_of(self, text: str) -> list[list[Any]]:
        """Return the keys of the records matching a filter."""
        table, limits = self.call.table, self.call.dataset.limits
        right, key = self._readable()
        parsed, literals = cache.parse(text, limits.filter)
        options = self.options.of_keys()
        every = replace(limits, rows=MAX_NUMBER)
        request = ReadRequest(table, right, self.call.rights, options, parsed, every)
        name = ("matching", self.call.actor.role, table.name, parsed.mark, *options_key(options, limits.filter))
        page = await self.call.dataset.plan_cache.plan("written", name, table, options, list_plan, request)
        literals_of = plan_conditions(options, limits.filter)
        values = Bindings(self.call.actor, literals, options.params, [], limits=limits.filter, conditions=literals_of)
        row = await self.connection.fetchrow(page.sql, *page.args(values))
        return [identifier(record, key) for record in exact_json.loads(row["body"] or b"[]")]

    def _readable(self) -> tuple[Right, list[Column]]:
        """Return the right to read the records again, and their key."""
        table = self.call.table
        if not table.key:
            raise BadRequest(f"Table '{table.name}' has no primary key. Leave out 'related'.", reason="no_primary_key")
        return right_of(table, self.call.rights, "GET"), [table.columns[name] for name in table.key]

    async def _read_all(self, keys: list[list[Any]]) -> bytes:
        """Return the records with these keys as a JSON array, with their relations."""
        right, key = self._readable()
        if not keys:
            return b"[]"
        rows, _ = await self._read(right, key, keys, len(keys))
        return b"[" + b",".join(row["body"] for row in rows) + b"]"

    async def delete_all(self) -> None:
        """Delete all records of the table (option `force`)."""
        target = self.target(self.call.table, "DELETE")
        await self.fetch(self.plan(statements.everything, target), self.values({}))
        self.note(self.call.table, "DELETE", {})


def _stored(column: Column, value: Any) -> Any:
    """Return the value to bind for a field of a record. Raises BadValue."""
    return None if value is None else stored(column.type, value)


def _exact(key: list[Column]) -> bool:
    """Return whether key values that differ in Python also differ in PostgreSQL, whatever the collation."""
    return all(column.type.name in EXACT for column in key)
