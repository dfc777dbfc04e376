"""Write related records nested in a record, in the transaction of that record.

Parents are written first, because the record refers to them; children and links follow. The rights and row rules of
every table involved apply. A reference set through a relation counts as a written field: of the record for a parent, of
the child or the junction for other relations.
"""

from __future__ import annotations

from typing import Any

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest, DuplicateField, NotFound
from tableapi.query.dml import statements
from tableapi.query.dml.plan import Change
from tableapi.query.spelling import spelled
from tableapi.schema.model import Relation, Table
from tableapi.tables import errors
from tableapi.tables.run import Record, Run

MAX_DEPTH = 5


def needed(change: Change) -> tuple[str, ...]:
    """Return the fields of a record that its children refer to, which its statement has to return."""
    return tuple(dict.fromkeys(n for r, _ in change.relations if r.kind != "belongs_to" for n in r.own))


class _Level:
    """One level of nesting. The options of a request apply to its own table only."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __enter__(self) -> None:
        self.run.depth += 1
        if self.run.depth > MAX_DEPTH:
            raise BadRequest(f"Records may be nested at most {MAX_DEPTH} levels deep.", reason="too_deep")

    def __exit__(self, *_: object) -> None:
        self.run.depth -= 1


def _record(relation: Relation, value: Any) -> dict[str, Any]:
    """Return a nested record with its table's spelling of the field names."""
    if not isinstance(value, dict):
        raise BadRequest(f"'{relation.name}' must be an object.", reason="bad_records")
    return spelled(relation.target, value)


def _lookup(record: dict[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    """Return the values of these fields, or None if one is missing."""
    values = [record.get(name) for name in names]
    return None if any(value is None for value in values) else values


def _more(table: Table, record: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Return whether a record has fields or relations besides these."""
    return any(name not in names and (name in table.columns or name in table.relations) for name in record)


async def hold(run: Run, right: Right, change: Change) -> None:
    """Treat references that the caller may not write as rejected fields, accepted only if unchanged."""
    for relation, value in change.relations:
        if relation.kind != "belongs_to" or right.may_set(relation.own):
            continue
        refers: list[Any] = [None] * len(relation.own)
        if value is not None:
            with _Level(run):
                refers = await _named(run, relation, _record(relation, value))
        for name, refer in zip(relation.own, refers, strict=True):
            if name in change.rejected and str(change.rejected[name]) != str(refer):
                raise DuplicateField(name)
            change.rejected[name] = refer
        change.held.add(relation.name)


async def _named(run: Run, relation: Relation, record: dict[str, Any]) -> list[Any]:
    """Return the values that refer to the named parent. Raises Forbidden for a new parent."""
    if refers := _lookup(record, relation.theirs):
        return refers
    key = _lookup(record, relation.target.key)
    if not key:
        raise errors.field_error(run.call, dict.fromkeys(relation.own))
    return await _existing(run, relation, key)


async def parents(run: Run, change: Change) -> None:
    """Write the parents of a record, and set its references to them."""
    for relation, value in change.relations:
        if relation.kind != "belongs_to":
            continue
        held = relation.name in change.held
        if value is None:
            change.values.update({} if held else dict.fromkeys(relation.own))
            continue
        with _Level(run):
            refers = await _parent(run, relation, _record(relation, value), held=held)
        if held:
            continue
        change.values.update(zip(relation.own, refers, strict=True))
        for name in relation.own:
            change.expressions.pop(name, None)
            change.operators.pop(name, None)


async def _parent(run: Run, relation: Relation, record: dict[str, Any], *, held: bool) -> list[Any]:
    """Create or change a parent, and return the values that refer to it.

    held: the stored reference cannot change, so no parent is created.
    """
    target = relation.target
    columns = [target.columns[n] for n in target.key]
    key = _lookup(record, target.key) if columns else None
    if key is None:
        if held:
            raise errors.unwritable(dict.fromkeys(relation.own))
        written = await run.create(target, record)
    elif _more(target, record, target.key):
        try:
            written = await run.change(target, columns, key, record)
        except NotFound:
            if held:
                raise
            written = await run.create(target, record)
    else:
        return key if held else await _existing(run, relation, key)
    if set(relation.theirs) <= written.keys.keys():
        return [written.keys[name] for name in relation.theirs]
    return await _existing(run, relation, [written.keys[name] for name in target.key])


async def _existing(run: Run, relation: Relation, key: list[Any]) -> list[Any]:
    """Return the values that refer to an existing parent.

    Raises:
        NotFound: the parent does not exist for the caller.
    """
    target = relation.target
    parent = run.target(target, "GET", "", relation.theirs)
    if relation.theirs == target.key:
        return key  # the statement checks that the caller may read it, as it does for the field itself
    columns = [target.columns[n] for n in target.key]
    plan = run.plan(statements.find, parent, columns)
    row = await run.fetch(plan, run.values({}, key))
    if row is None:
        raise NotFound(f"'{relation.name}': the record does not exist.")
    keys = run.record_of(plan, row).keys
    return [keys[name] for name in relation.theirs]


async def children(run: Run, table: Table, change: Change, written: Record) -> None:
    """Write the children and links of a record."""
    for relation, value in change.relations:
        if relation.kind == "belongs_to":
            continue
        own = [written.keys[name] for name in relation.own]
        with _Level(run):
            if relation.kind == "has_one" and not value:
                await _release_all(run, relation, own)
                continue
            for record in _records(relation, value):
                if relation.kind == "many_many":
                    await _link(run, relation, own, record)
                else:
                    await _child(run, relation, own, record)


def _records(relation: Relation, value: Any) -> list[dict[str, Any]]:
    """Return the nested records of a relation; a single one may be sent without a list."""
    values = [value] if isinstance(value, dict) else value or []
    if not isinstance(values, list):
        raise BadRequest(f"'{relation.name}' must be a list of objects.", reason="bad_records")
    return [_record(relation, item) for item in values]


async def _child(run: Run, relation: Relation, own: list[Any], record: dict[str, Any]) -> None:
    """Create, change, link or release a child."""
    target = relation.target
    reference = dict(zip(relation.theirs, own, strict=True))
    key = _lookup(record, target.key) if target.key else None
    if key is None:
        await run.create(target, record, reference)
        return
    columns = [target.columns[n] for n in target.key]
    if any(n in record and record[n] is None for n in relation.theirs):
        await _release(run, relation, own, key)
        return
    try:
        await run.change(target, columns, key, record, forced=reference)
    except NotFound:
        if not _more(target, record, (*target.key, *relation.theirs)):
            raise
        await run.create(target, record, reference)


async def _release(run: Run, relation: Relation, own: list[Any], key: list[Any]) -> None:
    """Set the reference of a child to NULL, or delete the child if the reference is required.

    Raises:
        NotFound: the child does not exist for the caller.
        Forbidden: it belongs to another record.
    """
    target = relation.target
    columns = [target.columns[n] for n in (*target.key, *relation.theirs)]
    if all(target.columns[n].nullable for n in relation.theirs):
        released = dict.fromkeys(relation.theirs)
        try:
            await run.change(target, columns, [*key, *own], {}, forced=released)
        except NotFound:  # unless it was already released
            await run.check_unchanged(target, "PATCH", columns[: len(key)], key, released)
    elif run.options.allow_related_delete:
        await run.delete(target, columns, [*key, *own])
    else:
        raise _reference_required(relation)


def _reference_required(relation: Relation) -> BadRequest:
    return BadRequest(
        f"'{relation.name}': a released record cannot exist without its reference. To delete it, send "
        "allow_related_delete=true.",
        reason="reference_required",
    )


async def _release_all(run: Run, relation: Relation, own: list[Any]) -> None:
    """Release all children of a record, for example when a has_one is sent as null."""
    table = relation.target
    drop = not all(table.columns[n].nullable for n in relation.theirs)
    if drop and not run.options.allow_related_delete:
        raise _reference_required(relation)
    verb = "DELETE" if drop else "PATCH"
    right = run.right(table, verb)
    if not drop and not (right.may_set(relation.theirs) and right.editable_in.keys().isdisjoint(relation.theirs)):
        await _check_released(run, relation, own)
        return
    plan = run.plan(statements.release, run.target(table, verb), relation.theirs, drop)
    row = await run.fetch(plan, run.values({}, own))
    if row is not None and not row["ok"]:
        raise errors.leaves_rights()


async def _check_released(run: Run, relation: Relation, own: list[Any]) -> None:
    """Reject releasing children that the caller may not change, if there are any."""
    table = relation.target
    if await run.find(table, [table.columns[name] for name in relation.theirs], own) is not None:
        raise errors.unwritable(dict.fromkeys(relation.theirs))


async def _link(run: Run, relation: Relation, own: list[Any], record: dict[str, Any]) -> None:
    """Create, change, link or unlink a record on the other side of a junction."""
    target, junction = relation.target, relation.junction
    assert junction is not None
    key = _lookup(record, target.key) if target.key else None
    unlink = any("." in name and value is None and not target.find(name) for name, value in record.items())
    if key is None:
        written = await run.create(target, record)
        theirs = [written.keys[n] for n in target.key]
    else:
        if not unlink and _more(target, record, target.key):
            try:
                await run.change(target, [target.columns[n] for n in target.key], key, record)
            except NotFound:
                await run.create(target, record)
        theirs = key
    if relation.theirs != target.key:
        theirs = await _existing(run, relation, theirs)
    row = dict(zip(relation.junction_own, own, strict=True)) | dict(zip(relation.junction_theirs, theirs, strict=True))
    columns = [junction.columns[n] for n in row]
    linked = await run.find(junction, columns, list(row.values()))
    if unlink:
        if linked is not None:
            await run.delete(junction, columns, list(row.values()))
    elif linked is None:
        await run.create(junction, row)
