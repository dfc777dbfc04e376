"""Read the tables, columns, relations and routines of a database from its catalog."""

from __future__ import annotations

import asyncio
import gc
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import asyncpg
import sqlalchemy as sa

from tableapi.schema import privileges, relations, views
from tableapi.schema.catalog import (
    COLUMNS,
    DEGREES,
    FINGERPRINT,
    HAS_COLUMNS,
    KEYS,
    LANGUAGES,
    MARK_OF_NAME,
    MARKS,
    REFERENCES,
    ROUTINES,
    RULES,
    TABLES,
    TYPES,
    VIEWS,
)
from tableapi.schema.model import Argument, Column, Computed, Relation, Routine, Schema, Table
from tableapi.schema.relations import Reference
from tableapi.schema.sqltypes import own_type, quoted
from tableapi.schema.types import BY_NAME, PgType

MAX_ATTEMPTS = 10


class Fingerprint(NamedTuple):
    """A digest of the catalog (`mark`), and the PostgreSQL snapshot in which it was computed."""

    snapshot: str
    mark: str


@dataclass(slots=True)
class _Rows:
    """The catalog rows of one snapshot.

    types_mark: a digest of the types. marks: `Table.mark` by oid. kept: tables of an earlier schema with the same
    columns, by oid; `columns` has none of theirs. degrees: reference systems in degrees (see `_set_degrees`).
    """

    default: str
    types_mark: int
    marks: dict[int, str]
    kept: dict[int, Table]
    types: list[asyncpg.Record]
    tables: list[asyncpg.Record]
    columns: list[asyncpg.Record]
    languages: list[asyncpg.Record]
    keys: list[asyncpg.Record]
    rules: list[asyncpg.Record]
    references: list[asyncpg.Record]
    views: list[asyncpg.Record]
    routines: list[asyncpg.Record]
    degrees: set[int] = field(default_factory=set)


async def fingerprint(
    connection: asyncpg.Connection, roles: Sequence[str] = (), since: Fingerprint | None = None
) -> Fingerprint:
    """Return a digest that changes with every DDL statement that affects the result of `read`.

    `since`: an earlier digest, returned without reading the catalog if no transaction has ended since.
    """
    [(snapshot, mark)] = await connection.fetch(FINGERPRINT, since.snapshot if since else None)
    if mark is None and since is not None:
        return since
    if roles:
        mark = f"{mark} {await connection.fetchval(privileges.FINGERPRINT)}"
    return Fingerprint(snapshot, mark)


async def read(
    connection: asyncpg.Connection, roles: Sequence[str] = (), old: Schema | None = None
) -> tuple[Schema, Fingerprint]:
    """Read the whole schema of a database, consistent at one moment, and its digest.

    `roles`: database roles. Their privileges become part of the schema. `old`: an earlier schema of the same database;
    the columns of tables that have not changed since are taken from it, which is most of the work with many tables.

    Some catalog functions ignore the snapshot of the transaction, so the schema is read again if concurrent DDL changes
    its digest.
    """
    schema, seen = await _read(connection, roles, old)
    for _ in range(MAX_ATTEMPTS):
        now = await fingerprint(connection, roles, seen)
        if now.mark == seen.mark:
            break
        schema, seen = await _read(connection, roles, schema)
    return schema, seen


async def has_columns(connection: Any, table: Table, names: Iterable[str]) -> bool:
    """Return whether the table in the database has a column with one of these names."""
    row = await connection.fetchrow(HAS_COLUMNS, table.schema, table.bare, [name.lower() for name in names])
    return bool(row["found"])


async def has_changed(connection: Any, table: Table) -> bool:
    """Return whether the columns or keys of the table in the database differ from those that were read."""
    row = await connection.fetchrow(MARK_OF_NAME, table.schema, table.bare)
    return row is None or row["oid"] != table.oid or row["mark"] != table.mark


async def _read(connection: asyncpg.Connection, named: Sequence[str], old: Schema | None) -> tuple[Schema, Fingerprint]:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        seen = await fingerprint(connection, named)
        roles = await privileges.existing(connection, named) if named else []
        tables = await connection.fetch(TABLES, roles)
        oids = [row["oid"] for row in tables]
        types = await connection.fetch(TYPES)
        marks = {row["oid"]: row["mark"] for row in await connection.fetch(MARKS, oids)}
        types_mark = _types_mark(types)
        kept = _kept(old, types_mark, marks) if old is not None else {}
        rows = _Rows(
            default=await connection.fetchval("select coalesce(current_schema(), 'public')"),
            types_mark=types_mark,
            marks=marks,
            kept=kept,
            types=types,
            tables=tables,
            columns=await connection.fetch(COLUMNS, [oid for oid in oids if oid not in kept]),
            languages=await connection.fetch(LANGUAGES),
            keys=await connection.fetch(KEYS, oids),
            rules=await connection.fetch(RULES, oids),
            references=await connection.fetch(REFERENCES, oids),
            views=await connection.fetch(VIEWS, oids),
            routines=await connection.fetch(ROUTINES, roles),
        )
        rows.degrees = await _degrees(connection, rows)
        names = {row["oid"]: (row["schema"], row["name"]) for row in rows.tables}
        granted = await privileges.read(connection, roles, names) if roles else {}
    # Thousands of tables take a second, during which this process keeps serving requests.
    schema = await asyncio.to_thread(_built, rows, seen.mark)
    schema.privileges = granted
    return schema, seen


def _types_mark(rows: Sequence[asyncpg.Record]) -> int:
    """Return a digest of the types, without those that belong to tables. 0 with PostGIS, see `_kept`."""
    if any(row["postgis"] is not None for row in rows):
        return 0
    of_tables = {row["oid"] for row in rows if row["typtype"] == "c"}
    return hash(tuple(sorted(str(tuple(row)) for row in rows if not {row["oid"], row["element"]} & of_tables)))


def _kept(old: Schema, types: int, marks: Mapping[int, str]) -> dict[int, Table]:
    """Return the tables of an earlier schema with the same columns, by oid.

    None are kept after a change of types, because each column has the name, labels and bounds of its type. With PostGIS
    that is always assumed, because its reference systems are rows of a table.
    """
    if not types or old.types != types:
        return {}
    return {
        table.oid: table
        for table in old.tables.values()
        if table.mark and table.mark == marks.get(table.oid)
        and not any(_of_table(column.type) for column in table.columns.values())
    }  # fmt: skip


def _of_table(type_: PgType) -> bool:
    """Whether values are rows of a table, or arrays of them. The type is renamed with its table."""
    return type_.kind == "composite" or (type_.element is not None and _of_table(type_.element))


def _built(rows: _Rows, mark: str) -> Schema:
    """Build the schema without garbage collection, which would walk all objects and find no cycles yet."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return _schema(rows, mark)
    finally:
        if enabled:
            gc.enable()


def _schema(rows: _Rows, mark: str) -> Schema:
    types = _types(rows.types)
    tables, by_oid = _tables(rows)
    attributes = _columns(rows.columns, by_oid, types)
    for oid in rows.kept.keys() & by_oid.keys():
        attributes[oid] = {column.number: name for name, column in by_oid[oid].columns.items()}
    _set_degrees(tables, rows.degrees)
    routines = _routines(rows.routines, rows.default, types, by_oid)
    languages = tuple(row["name"] for row in rows.languages)
    trigrams = next((row["pg_trgm"] for row in rows.types if row["pg_trgm"] is not None), "")
    for row in rows.tables:
        table = by_oid[row["oid"]]
        table.languages, table.trigrams = languages, trigrams
        table.distributed = row["distributed"]
        checked = row["checked"]  # a rule or a partition may need any field
        columns = table.columns.items()
        table.needed = frozenset(name for name, c in columns if c.required or (checked and not c.fixed))
    for row in rows.keys:
        _key(by_oid[row["oid"]], attributes[row["oid"]], row)
    for row in rows.rules:
        table_rules = by_oid[row["oid"]].rules
        table_rules[row["event"]] = table_rules.get(row["event"], True) and row["returns"]
    references = [
        Reference(by_oid[r["oid"]], by_oid[r["target"]], _names(attributes[r["oid"]], r["own"]),
                  _names(attributes[r["target"]], r["theirs"]))
        for r in rows.references
    ]  # fmt: skip
    references = relations.distinct(references)
    relations.relate(references)
    origins = views.origins({row["oid"]: row["action"] for row in rows.views})
    relations.relate_views(references, views.columns(origins, by_oid, attributes))
    _computed(rows.routines, types, by_oid)
    lower = {name.lower(): name for name in tables}
    return Schema(tables, mark, lower, routines, types=rows.types_mark)


def _routines(
    rows: list[asyncpg.Record], default: str, types: Mapping[int, PgType], tables: Mapping[int, Table]
) -> tuple[Routine, ...]:
    routines = []
    for row in rows:
        count = len(row["types"])
        names, modes = row["names"] or [""] * count, row["modes"] or ["i"] * count
        argument_types = [types.get(oid) for oid in row["types"]]
        if any(t is None and m in "ibv" for t, m in zip(argument_types, modes, strict=True)):
            continue  # an argument has a pseudo-type such as internal
        unknown = PgType("other", "text", "text")
        arguments = tuple(Argument(n, t or unknown, m) for n, t, m in zip(names, argument_types, modes, strict=True))
        schema, bare = row["schema"], row["name"]
        name = bare if schema == default else f"{schema}.{bare}"
        result, rows_of = row["result"] or "", tables.get(row["rows_of"])
        attributes = zip(row["attributes"] or (), row["attribute_types"] or (), strict=True)
        returns = types.get(row["returns"]) if row["kind"] == "f" and not row["attributes"] else None
        routines.append(
            Routine(
                schema,
                bare,
                name,
                row["kind"],
                arguments,
                row["required"],
                result,
                row["comment"],
                row["many"],
                rows_of,
                returns if returns is not None and returns.name not in ("void", "record") else None,
                tuple((name, types.get(oid) or unknown) for name, oid in attributes),
            )
        )
    return tuple(routines)


def _computed(rows: list[asyncpg.Record], types: Mapping[int, PgType], tables: Mapping[int, Table]) -> None:
    """Add row functions as computed fields and relations, except volatile ones, which might write."""
    for row in rows:
        table, target, name = tables.get(row["subject"] or 0), tables.get(row["rows_of"] or 0), row["name"]
        if table is None or not row["stable"] or name in table.columns or name in table.relations:
            continue
        if target is not None:
            kind, function = "has_many" if row["many"] else "has_one", (row["schema"], name)
            table.relations[name] = Relation(name, kind, target, (), (), function=function, derived=True)
        elif not row["many"] and row["returns"] in types:
            table.computed[name] = Computed(row["schema"], name, types[row["returns"]])


def _types(rows: list[asyncpg.Record]) -> dict[int, PgType]:
    """Return every type by oid. A domain is represented by its base type."""
    raw = {row["oid"]: row for row in rows}
    types: dict[int, PgType] = {}

    def resolve(oid: int) -> PgType:
        if oid in types:
            return types[oid]
        row = raw[oid]
        name = row["name"]
        if row["typtype"] == "d" and row["base"] in raw:
            type_ = resolve(row["base"])
        elif row["typtype"] == "e":
            type_ = PgType("enum", name, name, labels=tuple(row["labels"] or ()))
        elif row["typtype"] == "c":
            type_ = PgType("composite", name, name)
        elif row["postgis"] is not None:
            kind = "geography" if name.endswith("geography") else "geometry"
            type_ = _with_operators(PgType(kind, name, name, delimiter=row["delimiter"], postgis=row["postgis"]), row)
        elif row["element"] in raw and row["category"] == "A" and name not in ("int2vector", "oidvector"):
            type_ = PgType("array", name, name, element=resolve(row["element"]))
        elif row["bounds"] in raw:
            multirange = row["typtype"] == "m"
            type_ = PgType("other", name, name, bounds=resolve(row["bounds"]), multirange=multirange)
        else:
            base = PgType(
                BY_NAME.get(name, "other"), name, name, delimiter=row["delimiter"], pgvector=row["pgvector"] or ""
            )
            type_ = _with_operators(base, row)
        types[oid] = type_
        return type_

    for oid in raw:
        resolve(oid)
    return types


def _with_operators(type_: PgType, row: asyncpg.Record) -> PgType:
    """Add the schema of the operators to a base type, and which operators are missing."""
    if row["typtype"] != "b" or row["category"] == "A":
        return type_
    signs = None if row["sorts"] else frozenset(row["signs"] or ())
    groups = row["sorts"] or row["hashes"]
    return replace(type_, operators=row["operators"] or "", sorts=row["sorts"], groups=groups, signs=signs)


def _tables(rows: _Rows) -> tuple[dict[str, Table], dict[int, Table]]:
    by_oid: dict[int, Table] = {}
    for row in rows.tables:
        oid, schema, bare = row["oid"], row["schema"], row["name"]
        name = bare if schema == rows.default else f"{schema}.{bare}"
        kept = rows.kept.get(oid)
        if kept is None:
            clause, columns, lower = sa.table(bare, schema=schema), dict[str, Column](), dict[str, str]()
        else:
            # The target of a foreign key is set again: the other table may have been renamed.
            columns = {n: replace(c, refers=None) if c.refers else c for n, c in kept.columns.items()}
            clause, lower = kept.clause, kept._lower
            if (kept.schema, kept.bare) != (schema, bare):
                clause = sa.table(bare, *(sa.column(n, own_type(c.type)) for n, c in columns.items()), schema=schema)
        by_oid[oid] = Table(
            schema, bare, name, row["kind"], clause, columns, comment=row["comment"], writable=row["writable"],
            inherited=row["inherited"], oid=oid, mark=rows.marks.get(oid, ""), _lower=lower,
        )  # fmt: skip
    tables = {table.name: table for table in sorted(by_oid.values(), key=lambda t: t.name)}
    return tables, by_oid


_LENGTH = re.compile(r"\((\d+)(?:,(-?\d+))?\)")
_SYSTEM = re.compile(r",(\d+)\)")  # matches the SRID in geometry(Point,4326)


def _columns(
    rows: list[asyncpg.Record], by_oid: Mapping[int, Table], types: Mapping[int, PgType]
) -> dict[int, dict[int, str]]:
    numbers: dict[int, dict[int, str]] = defaultdict(dict)
    of_columns: dict[tuple[int, str, bool], PgType] = {}  # most columns share a type
    for row in rows:
        table, name = by_oid[row["oid"]], row["name"]
        form = row["type"], row["db_type"], row["fuzzy"]
        type_ = of_columns.get(form)
        if type_ is None:
            base = types.get(row["type"]) or PgType("other", row["db_type"], row["db_type"])
            system = _SYSTEM.search(row["db_type"]) if base.postgis else None
            srid = int(system[1]) if system else 0
            type_ = of_columns[form] = replace(base, db_type=row["db_type"], srid=srid)
            if row["fuzzy"]:
                element = replace(base.element, fuzzy=True) if base.element is not None else None
                type_ = of_columns[form] = replace(type_, element=element, fuzzy=True)
        column = Column(
            name, type_, row["nullable"], row["default"], row["identity"], row["generated"], comment=row["comment"],
            unsure=row["unsure"], number=row["number"],
        )  # fmt: skip
        if size := _LENGTH.search(row["db_type"]):
            if type_.kind == "decimal":
                column.precision, column.scale = int(size[1]), int(size[2] or 0)
            elif type_.kind == "text":
                column.length = int(size[1])
        table.columns[name] = column
        table._lower.setdefault(name.lower(), name)
        table.clause.append_column(sa.column(name, own_type(type_)))
        numbers[row["oid"]][row["number"]] = name
    return numbers


async def _degrees(connection: asyncpg.Connection, rows: _Rows) -> set[int]:
    """Return the reference systems that use degrees, other than WGS 84."""
    schema = next((row["postgis"] for row in rows.types if row["postgis"] is not None), None)
    if schema is None:
        return set()
    systems = {int(system[1]) for row in rows.columns if (system := _SYSTEM.search(row["db_type"]))} - {0, 4326}
    if not systems:
        return set()
    with suppress(asyncpg.PostgresError):  # without permission to read the systems, coordinates are used as they are
        async with connection.transaction():
            found = await connection.fetch(DEGREES.format(schema=quoted(schema)), list(systems))
            return {row["srid"] for row in found}
    return set()


def _set_degrees(tables: Mapping[str, Table], systems: set[int]) -> None:
    for table in tables.values():
        for column in table.columns.values():
            if column.type.srid not in (0, 4326):
                column.type = replace(column.type, degrees=column.type.srid in systems)


def _names(columns: Mapping[int, str], numbers: Iterable[int]) -> tuple[str, ...]:
    return tuple(columns[number] for number in numbers)


def _key(table: Table, numbers: Mapping[int, str], row: asyncpg.Record) -> None:
    if not all(n in numbers for n in row["columns"]):  # a unique index over an expression
        return
    names = _names(numbers, row["columns"])
    table.uniques.append(frozenset(names))
    if not row["arbiter"]:
        table.no_arbiters.add(frozenset(names))
    made = tuple(n for n in names if table.columns[n].identity or table.columns[n].default) if table.distributed else ()
    # With Citus each key contains the distribution column; generated values are unique without it.
    if len(made) == 1 < len(names):
        names = made
        table.uniques.append(frozenset(names))
        table.no_arbiters.add(frozenset(names))
    if len(names) == 1:
        table.columns[names[0]].unique = True
    if row["primary"]:
        table.key = names
    elif not table.key and not any(table.columns[n].nullable or table.columns[n].unsure for n in names):
        table.key = (
            names  # without a primary key the first unique key of non-null columns; KEYS lists primary keys first
        )
