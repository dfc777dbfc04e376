"""What a database has: tables, columns, relations and routines. introspection.py reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from tableapi.schema.types import PgType

_IN_Y = re.compile(r"[^aeiou]y\Z")


@dataclass(slots=True)
class Column:
    name: str
    type: PgType
    nullable: bool
    default: str | None
    identity: str  # "", "a" (always), "d" (by default)
    generated: bool
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    comment: str | None = None
    unique: bool = False
    refers: tuple[str, str] | None = None  # table and field of a key of one column

    @property
    def automatic(self) -> bool:
        return bool(self.identity) or (self.default or "").startswith("nextval(")

    @property
    def required(self) -> bool:
        return not self.nullable and self.default is None and not self.identity and not self.generated

    @property
    def fixed(self) -> bool:
        """Made by the database alone; a value sent for it is ignored."""
        return self.generated or self.identity == "a"


@dataclass(slots=True)
class Relation:
    """How rows of `target` belong to a row of the table that has this relation: own[i] = theirs[i].

    For many_many the two meet in `junction`: own[i] = junction_own[i] and junction_theirs[i] = theirs[i].
    """

    name: str
    kind: str  # belongs_to, has_many, has_one, many_many
    target: Table
    own: tuple[str, ...]
    theirs: tuple[str, ...]
    junction: Table | None = None
    junction_own: tuple[str, ...] = ()
    junction_theirs: tuple[str, ...] = ()

    @property
    def many(self) -> bool:
        return self.kind in ("has_many", "many_many")


@dataclass(slots=True, eq=False)
class Table:
    schema: str
    bare: str
    name: str  # as the API names it: bare in the default schema, else schema.table
    kind: str  # pg_class.relkind
    clause: sa.TableClause
    columns: dict[str, Column]
    key: tuple[str, ...] = ()
    uniques: list[frozenset[str]] = field(default_factory=list)
    relations: dict[str, Relation] = field(default_factory=dict)
    comment: str | None = None
    writable: int = 0  # pg_relation_is_updatable: 4 update, 8 insert, 16 delete
    rules: dict[str, bool] = field(default_factory=dict)  # INSERT, UPDATE, DELETE -> whether the rule has RETURNING
    _lower: dict[str, str] = field(default_factory=dict)
    _folded: tuple[int, dict[str, Relation]] = field(default_factory=lambda: (0, {}))  # relations by lower-case name

    @property
    def is_view(self) -> bool:
        return self.kind in "vm"

    @property
    def has_xmin(self) -> bool:
        """Whether a row's version can be read from the system column; not so for views, partitioned
        parents, and tables whose writes are replaced by rules."""
        return self.kind == "r" and not self.rules

    def find(self, name: str) -> Column | None:
        """A column by its name, without regard to case."""
        return self.columns.get(name) or self.columns.get(self._lower.get(name.lower(), ""))

    def relation(self, name: str) -> Relation | None:
        if found := self.relations.get(name):
            return found
        if self._folded[0] != len(self.relations):
            folded: dict[str, Relation] = {}
            for key, one in self.relations.items():
                folded.setdefault(key.lower(), one)
            self._folded = len(self.relations), folded
        return self._folded[1].get(name.lower())

    def is_unique(self, names: Iterable[str]) -> bool:
        wanted = frozenset(names)
        return any(unique <= wanted for unique in self.uniques)


@dataclass(frozen=True, slots=True)
class Argument:
    """mode: i (in), b (both ways), v (variadic), o and t (out)."""

    name: str
    type: PgType
    mode: str

    @property
    def sent(self) -> bool:
        return self.mode in "ibv"


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, or a procedure (`kind` "p"). The last sent arguments from `required` on have defaults."""

    schema: str
    bare: str
    name: str
    kind: str
    arguments: tuple[Argument, ...]
    required: int
    result: str
    comment: str | None

    @property
    def sent(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.sent)


@dataclass(slots=True, eq=False)
class Schema:
    tables: dict[str, Table]
    fingerprint: str
    _lower: dict[str, str] = field(default_factory=dict)
    routines: tuple[Routine, ...] = ()

    def find(self, name: str) -> Table | None:
        """A table by its name, without regard to case, `<schema>.<table>` included."""
        return self.tables.get(name) or self.tables.get(self._lower.get(name.lower(), ""))


def only(schema: Schema, named: frozenset[str]) -> Schema:
    """The schema with these tables alone: for the API the others, and relations through them, do not exist."""
    tables = {name: table for name, table in schema.tables.items() if name in named}
    for table in tables.values():
        table.relations = {
            name: one
            for name, one in table.relations.items()
            if one.target.name in named and (one.junction is None or one.junction.name in named)
        }
    return Schema(tables, schema.fingerprint, {name.lower(): name for name in tables}, schema.routines)


def describe(table: Table) -> dict[str, Any]:
    """Label and plural of a table, made from its name."""
    label = table.bare.replace("_", " ").strip().title() or table.bare
    ends = ("s", "x", "z", "ch", "sh")
    plural = label[:-1] + "ies" if _IN_Y.search(label) else label + ("es" if label.endswith(ends) else "s")
    return {"label": label, "plural": plural}
