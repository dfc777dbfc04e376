"""Reads: finds or makes the plan of a request, runs it, and puts the bytes into the envelope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from tableapi import exact_json
from tableapi.auth.credentials import session_token
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.crypto.vault import WIRE_HEADER, wire_for
from tableapi.datasets.dataset import Dataset
from tableapi.errors import ApiError, BadRequest, NotFound
from tableapi.http import etag
from tableapi.http.body import records
from tableapi.http.response import Reply
from tableapi.query import aggregate, answer_size, plan
from tableapi.query.bounds import Bounds
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.options import Options, body_shape, boolean, integer, options, shape
from tableapi.query.plan import Bindings, Plan, ReadRequest
from tableapi.query.plan_cache import digest, short
from tableapi.schema.model import Table
from tableapi.tables import describe
from tableapi.tables import export as export_formats
from tableapi.tables.batch import Batch
from tableapi.tables.render import as_file, listing


@dataclass(slots=True)
class TableRequest:
    """One request for a table: who, what, and with what."""

    dataset: Dataset
    actor: Actor
    rights: Rights
    table: Table
    query: dict[str, str]
    body: Any
    headers: Mapping[str, str]
    export: export_formats.Export | None = None  # what a hook wants of a list that goes out as a file
    tenant_mismatches: dict[str, Any] = field(
        default_factory=dict
    )  # fields sent that name another account (crossed.py)

    def bounds(self) -> Bounds:
        """The limits of the dataset; a file may hold more rows than a page."""
        return replace(self.dataset.bounds, rows=self.export.most) if self.export else self.dataset.bounds

    def again(self) -> TableRequest:
        """The same call for another try: what a hook took out of the query is there again."""
        return replace(self, query=dict(self.query), export=None)

    def filter_text(self) -> str:
        text = self.query.get("filter") or self.query.get("where")
        if not text and isinstance(self.body, dict):
            text = self.body.get("filter") or self.body.get("where")
        if text is None or text == "":
            return ""
        if not isinstance(text, str):
            raise BadRequest("Option 'filter' must be text.", reason="bad_option", context={"option": "filter"})
        return text

    def options(self) -> Options:
        boolean("wrap", self.headers.get("wrap", ""))
        return options(self.query, self.body, self.table.relation)


async def one(call: TableRequest, ident: Any) -> Reply:
    """GET /_table/<t>/<id>"""
    wanted, made = _keyed(call, 1)
    values = _values(call, made.options, [])
    values.ids = [plan.identifier(ident, wanted)]
    row = await _run(call, made, values)
    if row is None:
        raise missing(ident)
    body = unsealed(call, made.sealed, row["body"])
    tag = etag.etag(row["mark"], row["body"] if made.options.related else b"")
    if etag.matches(call.headers, tag):
        return Reply(b"", 304, headers={"ETag": tag})
    if (form := export_formats.wanted(made.options, call.headers)) is not None:
        return as_file(call, [exact_json.loads(body)], made.names, *form)
    return Reply(body, headers={"ETag": tag})


def missing(ident: Any) -> NotFound:
    return NotFound(f"Record with identifier '{str(ident)[:100]}' not found.")


def _key(call: TableRequest, *more: Any) -> tuple[Any, ...]:
    """The shape of a request: its known options, but for the values that are bound."""
    rest = short(shape(call.query, call.table.relation))
    lifted = (
        digest((body_shape(call.body, call.table.relation), plan.params_shape(_params(call))))
        if call.body is not None or "params" in call.query
        else ()
    )
    return (call.actor.role, call.table.name, rest, lifted, call.export.most if call.export else 0, *more)


def _params(call: TableRequest) -> dict[str, Any]:
    sent = {"params": call.body["params"]} if isinstance(call.body, dict) and "params" in call.body else None
    return options({"params": call.query["params"]} if "params" in call.query else {}, sent).params


def _asked(call: TableRequest, made: Options, tree: Filter | None) -> ReadRequest:
    right = plan.right_of(call.table, call.rights, "GET")
    return ReadRequest(call.table, right, call.rights, made, tree, call.bounds())


def _keyed(call: TableRequest, count: int) -> tuple[list[Any], Plan]:
    key = _key(call, "keyed", count)
    found = call.dataset.plan_cache.get(key)
    if found is None:
        made = call.options()
        asked = _asked(call, made, None)
        wanted = plan.identifying(call.table, made.id_field, asked.right)
        found = (wanted, plan.keyed_plan(asked, wanted, count))
        call.dataset.keep(key, found)
    return found


async def _run(call: TableRequest, made: Plan, values: Bindings) -> Any:
    """The row of a statement, from the primary or a replica, as the plan and the settings allow."""
    replicas, bounds = call.dataset.replicas, call.dataset.bounds
    if made.replica and replicas is not None:
        row = await answer_size.fetchrow(bounds, replicas.fetchrow, made, values)
    else:
        caller, turns = call.actor.session or call.actor.key, call.dataset.turns
        if not turns.enter(caller):
            await turns.wait(caller)
        try:
            row = await answer_size.fetchrow(bounds, call.dataset.db.reads.fetchrow, made, values)
        finally:
            turns.leave(caller)
    if row is not None and made.kind != "count" and len(row["body"] or b"") > bounds.answer_bytes:
        raise answer_size.too_large(bounds)
    return row


def _values(call: TableRequest, made: Options, literals: list[str]) -> Bindings:
    return Bindings(call.actor, literals, made.params, [])


async def several(call: TableRequest, idents: list[Any]) -> Reply:
    """Records by `ids`, in their order; one that is missing is an error of the batch."""
    made = call.options()
    batch = Batch("retrieved", made)
    asked = _asked(call, made, None)
    wanted = plan.identifying(call.table, made.id_field, asked.right)
    good: list[list[Any]] = []
    places: list[int | ApiError] = []
    for ident in idents:
        try:
            parts = plan.identifier(ident, wanted)
            for column, part in zip(wanted, parts, strict=True):
                plan.checked(column, part)
            places.append(len(good))
            good.append(parts)
        except ApiError as error:
            places.append(error)
    rows: dict[int, bytes] = {}
    sealed = False
    shown: tuple[str, ...] = ()
    if good:
        wanted, found = _keyed(call, len(good))
        values = _values(call, made, [])
        values.ids = good
        sealed, shown = found.sealed, found.names
        async with call.dataset.db.reads.acquire() as connection:
            await answer_size.check(call.dataset.bounds, connection.fetchrow, found, values)
            rows = {r["place"]: r["body"] for r in await connection.fetch(found.sql, *found.args(values))}
    for ident, place in zip(idents, places, strict=True):
        if isinstance(place, ApiError):
            batch.failed(place)
        elif place in rows:
            batch.done(unsealed(call, sealed, rows[place]))
        else:
            batch.failed(missing(ident))
        if batch.stopped:
            break
    return listing(call, made, batch.answer(), shown)


async def many(call: TableRequest) -> Reply:
    """Records by filter; or the number of them; or groups."""
    text = call.filter_text()
    found, literals = cache.parse(text, call.dataset.bounds.filter) if text.strip() else (None, [])
    offset = _offset(call)
    cursor_text = _lifted(call, "cursor")
    cursor: list[Any] | None = None
    key = None
    if cursor_text is None:
        key = _key(call, found.mark if found else None, offset > 0)
        made = call.dataset.plan_cache.get(key)
    else:
        cursor = _cursor(call, str(cursor_text), found)
        key = _key(call, found.mark if found else None, "cursor", tuple(value is None for value in cursor))
        made = call.dataset.plan_cache.get(key)
    if made is None:
        wanted = call.options()
        wanted.offset = offset
        if cursor is not None:
            wanted.cursor, wanted.offset = "", 0
        made = plan.list_plan(_asked(call, wanted, found), cursor)
        call.dataset.keep(key, made)
    given = made.options
    values = Bindings(call.actor, literals, _params(call) if given.params else {}, [], offset, cursor)
    row = await _run(call, made, values)
    assert row is not None
    if made.kind == "count":
        return Reply(b"%d" % _number(row, made))
    meta = await _meta(call, made, values, row)
    tag = etag.of_list(row["body"] or b"[]", meta)
    if tag and etag.matches(call.headers, tag):
        return Reply(b"", 304, headers={"ETag": tag})
    answer = listing(call, given, unsealed(call, made.sealed, row["body"] or b"[]"), made.names, meta)
    if tag:
        answer.headers["ETag"] = tag
    return answer


def _lifted(call: TableRequest, name: str) -> Any:
    if name in call.query:
        return call.query[name]
    return call.body.get(name) if isinstance(call.body, dict) else None


def _offset(call: TableRequest) -> int:
    given = _lifted(call, "offset")
    given = _lifted(call, "skip") if given is None else given
    if given is None:
        return 0
    offset = integer("offset", given)
    most = call.dataset.bounds.offset
    if most is not None and offset > most:
        raise BadRequest(f"The offset is {most} at most. Use a cursor to read on.", reason="bad_option")
    return max(offset, 0)


def _cursor(call: TableRequest, text: str, found: Filter | None) -> list[Any]:
    if not text.strip():
        return []
    given = call.options()
    right = plan.right_of(call.table, call.rights, "GET")
    asked = ReadRequest(call.table, right, call.rights, given, found, call.dataset.bounds)
    return aggregate.decode_cursor(text.strip(), plan.order_mark(call.table, given), plan.order_length(asked))


async def _meta(call: TableRequest, made: Plan, values: Bindings, row: Any) -> dict[str, Any]:
    given = made.options
    more = bool(made.probe and row["more"])
    own_limit = given.limit is not None and 0 < given.limit <= call.bounds().rows
    meta: dict[str, Any] = {}
    if given.include_count and not given.estimated:
        meta["count"] = row["count"]
    elif made.counter and (given.estimated or (more and not own_limit)):
        counter = made.counter
        counted = await _run(call, counter, values)
        meta["count"] = _number(counted, counter)
    if given.cursor is not None:
        if more:
            last = orjson.dumps(orjson.loads(row["position"])[0])
            meta["next_cursor"] = aggregate.encode_cursor(made.mark, last)
    elif "count" in meta and (more if made.probe else values.offset + made.limit < meta["count"]):
        meta["next"] = values.offset + made.limit
    if given.include_schema:
        meta["schema"] = describe.describe(
            call.dataset.schema, call.table, plan.right_of(call.table, call.rights, "GET"), call.rights
        )
    return meta


def _number(row: Any, made: Plan) -> int:
    if made.estimate:
        return int(orjson.loads(row[0])[0]["Plan"]["Plan Rows"])
    return int(row["count"])


def unsealed(call: TableRequest, sealed: bool, body: bytes) -> bytes:
    """Sealed values become what the caller gets; all else stays the bytes that PostgreSQL made."""
    if not sealed or call.dataset.unseal is None:
        return body
    wire = wire_for(call.headers.get(WIRE_HEADER), session_token(call.headers))
    return call.dataset.unseal.body(body, wire)


async def read(call: TableRequest, ident: str | None) -> Reply:
    """GET of a table or a record, also tunnelled."""
    plan.right_of(call.table, call.rights, "GET")
    if ident is not None:
        return await one(call, ident)
    idents = _idents(call)
    if idents is not None:
        return await several(call, idents)
    return await many(call)


def _idents(call: TableRequest) -> list[Any] | None:
    """Identifiers from `ids`, or from records in a tunnelled body."""
    if "ids" in call.query or (isinstance(call.body, dict) and "ids" in call.body):
        found = call.options().ids
        records(found and [{"id": 0}] * len(found), call.dataset.bounds.records)
        return found
    if isinstance(call.body, list) or (isinstance(call.body, dict) and "resource" in call.body):
        return records(call.body, call.dataset.bounds.records)
    return None
