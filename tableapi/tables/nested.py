"""Nested records: what a record holds under the names of its relations is written with it (table-api §9).

Parents come first, because the record refers to them; children and links after it. All of it is in the transaction of
the record, and the rights and rules of every table involved hold. A reference that is set through a relation is a
written field like any other: of the record for a parent, of the child or of the junction for the other kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest, DuplicateField, Forbidden, NotFound
from tableapi.query import dml
from tableapi.query.change import Change
from tableapi.query.spelling import spelled
from tableapi.schema.model import Relation, Table
from tableapi.tables import tenant_guard

if TYPE_CHECKING:
    from tableapi.tables.write import Writer, Written

MAX_DEPTH = 5


def needed(change: Change) -> tuple[str, ...]:
    """Fields of the record that its children refer to: they must come back from the statement."""
    return tuple(dict.fromkeys(n for r, _ in change.relations if r.kind != "belongs_to" for n in r.own))


class _Deeper:
    """One level of nesting; the options of the request are for its own table only."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def __enter__(self) -> None:
        self.writer.depth += 1
        if self.writer.depth > MAX_DEPTH:
            raise BadRequest(f"Records are nested deeper than {MAX_DEPTH}.", reason="too_deep")

    def __exit__(self, *_: object) -> None:
        self.writer.depth -= 1


def _record(relation: Relation, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRequest(f"'{relation.name}' must hold an object.", reason="bad_records")
    return spelled(relation.target, value)


def _lookup(record: dict[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    """The values of these fields when all of them are there."""
    found = [record.get(name) for name in names]
    return None if any(value is None for value in found) else found


def _more(table: Table, record: dict[str, Any], known: tuple[str, ...]) -> bool:
    """Whether a record says anything beyond these fields."""
    return any(k not in known and (k in table.columns or k in table.relations) for k in record)


async def hold(writer: Writer, right: Right, change: Change) -> None:
    """Treat references that the caller may not write as refused fields: only their present value passes."""
    for relation, value in change.relations:
        if relation.kind != "belongs_to" or right.sets(relation.own):
            continue
        refers: list[Any] = [None] * len(relation.own)
        if value is not None:
            with _Deeper(writer):
                refers = await _named(writer, relation, _record(relation, value))
        for name, refer in zip(relation.own, refers, strict=True):
            if name in change.refused and str(change.refused[name]) != str(refer):
                raise DuplicateField(name)
            change.refused[name] = refer
        change.held.add(relation.name)


async def _named(writer: Writer, relation: Relation, record: dict[str, Any]) -> list[Any]:
    """Return the values by which a record refers to the parent named here. Refuse a new parent."""
    if found := _lookup(record, relation.theirs):
        return found
    key = _lookup(record, relation.target.key)
    if not key:
        raise tenant_guard.field_refusal(writer.call, dict.fromkeys(relation.own))
    return await _existing(writer, relation, key)


async def parents(writer: Writer, change: Change) -> None:
    """Write the parents of a record, and set its references to them."""
    for relation, value in change.relations:
        if relation.kind != "belongs_to":
            continue
        held = relation.name in change.held
        if value is None:
            change.values.update({} if held else dict.fromkeys(relation.own))
            continue
        with _Deeper(writer):
            refers = await _parent(writer, relation, _record(relation, value), held=held)
        if held:
            continue
        change.values.update(zip(relation.own, refers, strict=True))
        for name in relation.own:
            change.expressions.pop(name, None)


async def _parent(writer: Writer, relation: Relation, record: dict[str, Any], *, held: bool) -> list[Any]:
    """Create or change the parent; the values that the record refers to it by. A held one is never created."""
    target = relation.target
    wanted = [target.columns[n] for n in target.key]
    key = _lookup(record, target.key) if wanted else None
    if key is None:
        if held:
            raise tenant_guard.unwritable(dict.fromkeys(relation.own))
        made = await writer.create(target, record)
    elif _more(target, record, target.key):
        try:
            made = await writer.change(target, wanted, key, record)
        except NotFound:
            if held:
                raise
            made = await writer.create(target, record)
    else:
        return key if held else await _existing(writer, relation, key)
    if set(relation.theirs) <= made.keys.keys():
        return [made.keys[name] for name in relation.theirs]
    return await _existing(writer, relation, [made.keys[name] for name in target.key])


async def _existing(writer: Writer, relation: Relation, key: list[Any]) -> list[Any]:
    target = relation.target
    right = writer.right(target, "GET")
    if relation.theirs == target.key:
        return key  # whether the caller may read it is a condition of the statement, as for the field itself
    found = writer.target(target, right, "", relation.theirs)
    wanted = [target.columns[n] for n in target.key]
    row = await writer.fetch(
        ("find", target.name, target.key, "", relation.theirs),
        lambda: dml.find(found, wanted),
        writer.values({}, key),
    )
    if row is None:
        raise NotFound(f"'{relation.name}': the record does not exist.")
    return [row[f"our {found.keys.index(name)}"] for name in relation.theirs]


async def children(writer: Writer, table: Table, change: Change, made: Written) -> None:
    for relation, value in change.relations:
        if relation.kind == "belongs_to":
            continue
        own = [made.keys[name] for name in relation.own]
        with _Deeper(writer):
            if relation.kind == "has_one" and not value:
                await _release_all(writer, relation, own)
                continue
            for record in _records(relation, value):
                if relation.kind == "many_many":
                    await _link(writer, relation, own, record)
                else:
                    await _child(writer, relation, own, record)


def _records(relation: Relation, value: Any) -> list[dict[str, Any]]:
    found = [value] if isinstance(value, dict) else value or []
    if not isinstance(found, list):
        raise BadRequest(f"'{relation.name}' must hold a list of objects.", reason="bad_records")
    return [_record(relation, one) for one in found]


async def _child(writer: Writer, relation: Relation, own: list[Any], record: dict[str, Any]) -> None:
    target = relation.target
    reference = dict(zip(relation.theirs, own, strict=True))
    key = _lookup(record, target.key) if target.key else None
    if key is None:
        await writer.create(target, record, reference)
        return
    wanted = [target.columns[n] for n in target.key]
    if any(n in record and record[n] is None for n in relation.theirs):
        await _release(writer, relation, key)
        return
    try:
        await writer.change(target, wanted, key, record, forced=reference)
    except NotFound:
        if not _more(target, record, (*target.key, *relation.theirs)):
            raise
        await writer.create(target, record, reference)


async def _release(writer: Writer, relation: Relation, key: list[Any]) -> None:
    target = relation.target
    wanted = [target.columns[n] for n in target.key]
    if all(target.columns[n].nullable for n in relation.theirs):
        await writer.change(target, wanted, key, {}, forced=dict.fromkeys(relation.theirs))
    elif writer.options.allow_related_delete:
        await writer.delete(target, wanted, key)
    else:
        raise _cannot_stand_alone(relation)


def _cannot_stand_alone(relation: Relation) -> BadRequest:
    return BadRequest(
        f"'{relation.name}': the record cannot stand alone. With allow_related_delete=true it is deleted.",
        reason="reference_required",
    )


async def _release_all(writer: Writer, relation: Relation, own: list[Any]) -> None:
    table = relation.target
    drop = not all(table.columns[n].nullable for n in relation.theirs)
    if drop and not writer.options.allow_related_delete:
        raise _cannot_stand_alone(relation)
    right = writer.right(table, "DELETE" if drop else "PATCH")
    if not drop and not (right.sets(relation.theirs) and right.only_in.keys().isdisjoint(relation.theirs)):
        await _released(writer, relation, own)
        return
    target = writer.target(table, right, "")
    key = ("release", table.name, relation.theirs, drop)
    row = await writer.fetch(key, lambda: dml.release(target, relation.theirs, drop=drop), writer.values({}, own))
    if row is not None and not row["ok"]:
        raise Forbidden("A record would leave what your role may write.", reason="row_rule")


async def _released(writer: Writer, relation: Relation, own: list[Any]) -> None:
    """Refuse to release what the caller may not release, unless nothing refers to the record."""
    table = relation.target
    found, wanted = writer.target(table, writer.right(table, "GET"), ""), [table.columns[n] for n in relation.theirs]
    key = ("find", table.name, relation.theirs, "", ())
    if await writer.fetch(key, lambda: dml.find(found, wanted), writer.values({}, own)) is not None:
        raise tenant_guard.unwritable(dict.fromkeys(relation.theirs))


async def _link(writer: Writer, relation: Relation, own: list[Any], record: dict[str, Any]) -> None:
    """Create, change, link or unlink a record on the other side of a junction."""
    target, junction = relation.target, relation.junction
    assert junction is not None
    key = _lookup(record, target.key) if target.key else None
    unlink = any("." in name and value is None and not target.find(name) for name, value in record.items())
    if key is None:
        made = await writer.create(target, record)
        theirs = [made.keys[n] for n in target.key]
    else:
        if not unlink and _more(target, record, target.key):
            try:
                await writer.change(target, [target.columns[n] for n in target.key], key, record)
            except NotFound:
                await writer.create(target, record)
        theirs = key
    if relation.theirs != target.key:
        theirs = await _existing(writer, relation, theirs)
    row = dict(zip(relation.junction_own, own, strict=True)) | dict(zip(relation.junction_theirs, theirs, strict=True))
    wanted = [junction.columns[n] for n in row]
    found = writer.target(junction, writer.right(junction, "GET"), "")
    linked = await writer.fetch(
        ("find", junction.name, tuple(row), "", ()),
        lambda: dml.find(found, wanted),
        writer.values({}, list(row.values())),
    )
    if unlink:
        if linked is not None:
            await writer.delete(junction, wanted, list(row.values()))
    elif linked is None:
        await writer.create(junction, row)
