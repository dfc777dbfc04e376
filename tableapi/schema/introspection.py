"""Introspection: the catalog of a database -> tables, columns, relations and routines. Knows no actor, no request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import asyncpg
import sqlalchemy as sa

from tableapi.schema.catalog import COLUMNS, FINGERPRINT, KEYS, REFERENCES, ROUTINES, RULES, TABLES, TYPES
from tableapi.schema.model import Argument, Column, Relation, Routine, Schema, Table
from tableapi.schema.sqltypes import Named, Native
from tableapi.schema.types import BY_NAME, PgType


async def fingerprint(connection: asyncpg.Connection) -> str:
    """Changes whenever DDL changed something that `read` sees."""
    return str(await connection.fetchval(FINGERPRINT))


async def read(connection: asyncpg.Connection) -> Schema:
    """The whole schema of a database, as it was at one moment.

    Some functions of the catalog look at the present, not at the snapshot of the transaction; so the look is repeated
    while DDL goes on beside it.
    """
    found = await _read(connection)
    for _ in range(10):
        if await fingerprint(connection) == found.fingerprint:
            break
        found = await _read(connection)
    return found


async def _read(connection: asyncpg.Connection) -> Schema:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        mark = await fingerprint(connection)
        default = await connection.fetchval("select coalesce(current_schema(), 'public')")
        types = _types(await connection.fetch(TYPES))
        tables, by_oid = _tables(await connection.fetch(TABLES), default)
        attributes = _columns(await connection.fetch(COLUMNS), by_oid, types)
        keys = await connection.fetch(KEYS)
        rules = await connection.fetch(RULES)
        rows = await connection.fetch(REFERENCES)
        routines = _routines(await connection.fetch(ROUTINES), default, types)
    for row in keys:
        if row["oid"] in by_oid:
            _key(by_oid[row["oid"]], attributes[row["oid"]], row)
    for row in rules:
        if row["oid"] in by_oid:
            found = by_oid[row["oid"]].rules
            found[row["event"]] = found.get(row["event"], True) and row["returns"]
    references = [
        _Reference(by_oid[r["oid"]], by_oid[r["target"]], _names(attributes[r["oid"]], r["own"]),
                   _names(attributes[r["target"]], r["theirs"]))
        for r in rows if r["oid"] in by_oid and r["target"] in by_oid
    ]  # fmt: skip
    _relate(_distinct(references))
    return Schema(tables, mark, {name.lower(): name for name in tables}, routines)


def _routines(rows: list[asyncpg.Record], default: str, types: Mapping[int, PgType]) -> tuple[Routine, ...]:
    made = []
    for row in rows:
        count = len(row["types"])
        names, modes = row["names"] or [""] * count, row["modes"] or ["i"] * count
        known = [types.get(oid) for oid in row["types"]]
        if any(t is None and m in "ibv" for t, m in zip(known, modes, strict=True)):
            continue  # takes a pseudo type, such as internal
        unknown = PgType("other", "text", "text")
        arguments = tuple(Argument(n, t or unknown, m) for n, t, m in zip(names, known, modes, strict=True))
        schema, bare = row["schema"], row["name"]
        name = bare if schema == default else f"{schema}.{bare}"
        made.append(
            Routine(schema, bare, name, row["kind"], arguments, row["required"], row["result"] or "", row["comment"])
        )
    return tuple(made)


def _types(rows: list[asyncpg.Record]) -> dict[int, PgType]:
    """Every type by oid. A domain is handled as its base type; an array as its element."""
    raw = {row["oid"]: row for row in rows}
    made: dict[int, PgType] = {}

    def make(oid: int) -> PgType:
        if oid in made:
            return made[oid]
        row = raw[oid]
        name = row["name"]
        if row["typtype"] == "d" and row["base"] in raw:
            found = make(row["base"])
        elif row["typtype"] == "e":
            found = PgType("enum", name, name, labels=tuple(row["labels"] or ()))
        elif row["typtype"] == "c":
            found = PgType("composite", name, name)
        elif row["element"] in raw and row["category"] == "A" and name not in ("int2vector", "oidvector"):
            found = PgType("array", name, name, element=make(row["element"]))
        else:
            found = _base(PgType(BY_NAME.get(name, "other"), name, name, delimiter=row["delimiter"]), row)
        made[oid] = found
        return found

    for oid in raw:
        make(oid)
    return made


def _base(type_: PgType, row: asyncpg.Record) -> PgType:
    """A type with operators of its own: where they are, and what it lacks."""
    if row["typtype"] != "b" or row["category"] == "A":
        return type_
    signs = None if row["sorts"] else frozenset(row["signs"] or ())
    groups = row["sorts"] or row["hashes"]
    return replace(type_, operators=row["operators"] or "", sorts=row["sorts"], groups=groups, signs=signs)


def _tables(rows: list[asyncpg.Record], default: str) -> tuple[dict[str, Table], dict[int, Table]]:
    by_oid: dict[int, Table] = {}
    for row in rows:
        schema, bare = row["schema"], row["name"]
        name = bare if schema == default else f"{schema}.{bare}"
        clause = sa.table(bare, schema=schema)
        by_oid[row["oid"]] = Table(
            schema, bare, name, row["kind"], clause, {}, comment=row["comment"], writable=row["writable"]
        )
    tables = {table.name: table for table in sorted(by_oid.values(), key=lambda t: t.name)}
    return tables, by_oid


_LENGTH = re.compile(r"\((\d+)(?:,(-?\d+))?\)")


def _columns(
    rows: list[asyncpg.Record], by_oid: Mapping[int, Table], types: Mapping[int, PgType]
) -> dict[int, dict[int, str]]:
    numbers: dict[int, dict[int, str]] = defaultdict(dict)
    for row in rows:
        if row["oid"] not in by_oid:
            continue
        table, name = by_oid[row["oid"]], row["name"]
        base = types.get(row["type"]) or PgType("other", row["db_type"], row["db_type"])
        type_ = replace(base, db_type=row["db_type"])
        column = Column(
            name, type_, row["nullable"], row["default"], row["identity"], row["generated"], comment=row["comment"]
        )
        if size := _LENGTH.search(row["db_type"]):
            if type_.kind == "decimal":
                column.precision, column.scale = int(size[1]), int(size[2] or 0)
            elif type_.kind == "text":
                column.length = int(size[1])
        table.columns[name] = column
        table._lower.setdefault(name.lower(), name)
        sa_type = Native(type_.name) if type_.kind != "other" else Named(type_.name, type_.operators)
        table.clause.append_column(sa.column(name, sa_type))
        numbers[row["oid"]][row["number"]] = name
    return numbers


def _names(numbers: Mapping[int, str], wanted: Iterable[int]) -> tuple[str, ...]:
    return tuple(numbers[n] for n in wanted)


def _key(table: Table, numbers: Mapping[int, str], row: asyncpg.Record) -> None:
    if not all(n in numbers for n in row["columns"]):  # a unique index over an expression
        return
    names = _names(numbers, row["columns"])
    table.uniques.append(frozenset(names))
    if len(names) == 1:
        table.columns[names[0]].unique = True
    if row["primary"]:
        table.key = names
    elif not table.key and not any(table.columns[n].nullable for n in names):
        table.key = names  # without a primary key the first unique key identifies; KEYS lists primary keys first


@dataclass(frozen=True, slots=True)
class _Reference:
    table: Table
    target: Table
    own: tuple[str, ...]
    theirs: tuple[str, ...]


def _distinct(references: list[_Reference]) -> list[_Reference]:
    return list({(id(r.table), id(r.target), r.own, r.theirs): r for r in references}.values())


def _plain(name: str) -> str:
    """A dot separates a relation from its field in a request, so the name of one holds none."""
    return name.replace(".", "_")


def _relate(references: list[_Reference]) -> None:
    """Give every table its relations under DreamFactory's names (table-api §6)."""
    by_table: dict[int, list[_Reference]] = defaultdict(list)
    for ref in references:
        by_table[id(ref.table)].append(ref)
        if len(ref.own) == 1:
            ref.table.columns[ref.own[0]].refers = (ref.target.name, ref.theirs[0])
        joined = "_".join(ref.own)
        itself = ref.table is ref.target
        name = f"{_plain(ref.target.name)}_by_{joined}" + ("_parent" if itself else "")
        _add(ref.table, Relation(name, "belongs_to", ref.target, ref.own, ref.theirs))
        kind = "has_one" if ref.table.is_unique(ref.own) else "has_many"
        name = f"{_plain(ref.table.name)}_by_{joined}"
        _add(ref.target, Relation(name, kind, ref.table, ref.theirs, ref.own))
    for references_of_one in by_table.values():
        for one in references_of_one:
            for other in references_of_one:
                if one.target is not other.target:
                    name = f"{_plain(other.target.name)}_by_{_plain(one.table.name)}"
                    relation = Relation(
                        name, "many_many", other.target, one.theirs, other.theirs, one.table, one.own, other.own
                    )
                    _add(one.target, relation, "_".join(one.own), "_".join(other.own))


def _add(table: Table, relation: Relation, *more: str) -> None:
    """Two keys between the same tables may ask for one name; the later one gets its fields added."""
    for suffix in ("", *("_" + m for m in more), "_" + "_".join(more), *(f"_{n}" for n in range(2, 100))):
        name = relation.name + suffix
        if name not in table.relations and name not in table.columns:
            relation.name = name
            table.relations[name] = relation
            return
