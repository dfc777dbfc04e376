"""The schema of a database: tables, columns, relations and routines, as introspection.py reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from tableapi.schema.privileges import RolePrivileges
from tableapi.schema.types import PgType

_IN_Y = re.compile(r"[^aeiou]y\Z")


@dataclass(slots=True)
class Column:
    """A column of a table or view."""

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
    unsure: bool = False  # NOT NULL applies to new rows only (NOT VALID), so older ones may be NULL
    refers: tuple[str, str] | None = None  # table and column referenced by a foreign key on this column alone
    number: int = 0  # pg_attribute.attnum

    @property
    def automatic(self) -> bool:
        """Whether the database generates it to number the rows (identity or sequence)."""
        return bool(self.identity) or (self.default or "").startswith("nextval(")

    @property
    def required(self) -> bool:
        """Whether a create must include it."""
        return not self.nullable and self.default is None and not self.identity and not self.generated

    @property
    def fixed(self) -> bool:
        """Whether only the database sets it, so that a value in a request is ignored."""
        return self.generated or self.identity == "a"


@dataclass(slots=True)
class Relation:
    """The relation of rows of `target` to a row of the table that has the relation.

    Rows are related if own[i] = theirs[i]; for many_many through `junction`, if own[i] = junction_own[i] and
    junction_theirs[i] = theirs[i].
    """

    name: str
    kind: str  # belongs_to, has_many, has_one, many_many
    target: Table
    own: tuple[str, ...]
    theirs: tuple[str, ...]
    junction: Table | None = None
    junction_own: tuple[str, ...] = ()
    junction_theirs: tuple[str, ...] = ()
    function: tuple[str, str] | None = None  # schema and name, if a function of the row returns the related rows
    derived: bool = (
        False  # False if through a view or a function; such relations are read-only, and `*` does not include them
    )

    @property
    def many(self) -> bool:
        """Whether a row has a list of related rows rather than at most one."""
        return self.kind in ("has_many", "many_many")


@dataclass(frozen=True, slots=True)
class Computed:
    """A function of a table's row, which is read like a column."""

    schema: str
    name: str
    type: PgType


@dataclass(slots=True, eq=False)
class Table:
    """A table, view or foreign table."""

    schema: str
    bare: str  # the name without its schema
    name: str  # the name in the API: bare in the default schema, else schema.table
    kind: str  # pg_class.relkind
    clause: sa.TableClause
    columns: dict[str, Column]
    key: tuple[str, ...] = ()
    uniques: list[frozenset[str]] = field(default_factory=list)
    # those of them that ON CONFLICT cannot use: deferrable ones, and those with a period (WITHOUT OVERLAPS)
    no_arbiters: set[frozenset[str]] = field(default_factory=set)
    relations: dict[str, Relation] = field(default_factory=dict)
    comment: str | None = None
    writable: int = 0  # pg_relation_is_updatable: 4 update, 8 insert, 16 delete
    computed: dict[str, Computed] = field(default_factory=dict)  # functions of a row, by name
    languages: tuple[str, ...] = ()  # text search configurations of the database, its default first
    trigrams: str = ""  # the schema of the extension pg_trgm, if the database has it
    # whether other tables inherit from it; their rows then appear among its own and may repeat its keys
    inherited: bool = False
    distributed: bool = False  # by Citus, or copied to every machine
    needed: frozenset[str] = frozenset()  # fields without which a new row may be rejected
    rules: dict[str, bool] = field(default_factory=dict)  # event of an INSTEAD rule -> whether it has RETURNING
    oid: int = 0
    mark: str = ""  # changes with the columns
    _lower: dict[str, str] = field(default_factory=dict)
    _folded: tuple[int, dict[str, Relation]] = field(default_factory=lambda: (0, {}))  # (count, by lower-case name)

    @property
    def is_view(self) -> bool:
        """Whether it is a view or a materialized view."""
        return self.kind in "vm"

    @property
    def has_xmin(self) -> bool:
        """Whether xmin is the row version; not for views, partitioned tables, INSTEAD rules and copies."""
        return self.kind == "r" and not self.rules and not self.distributed

    def find(self, name: str) -> Column | None:
        """Return a column by its case-insensitive name."""
        return self.columns.get(name) or self.columns.get(self._lower.get(name.lower(), ""))

    def function(self, name: str) -> Computed | None:
        """Return a function of a row by its case-insensitive name, unless a column has that name."""
        if not self.computed or self.find(name) is not None:
            return None
        folded = name.lower()
        return self.computed.get(name) or next((c for c in self.computed.values() if c.name.lower() == folded), None)

    def relation(self, name: str) -> Relation | None:
        """Return a relation by its case-insensitive name."""
        if exact := self.relations.get(name):
            return exact
        if self._folded[0] != len(self.relations):
            folded: dict[str, Relation] = {}
            for key, relation in self.relations.items():
                folded.setdefault(key.lower(), relation)
            self._folded = len(self.relations), folded
        return self._folded[1].get(name.lower())

    def is_unique(self, names: Iterable[str]) -> bool:
        """Whether these columns identify at most one row."""
        columns = frozenset(names)
        return any(unique <= columns for unique in self.uniques)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a routine. `mode` is i (in), b (inout), v (variadic), o (out) or t (table column)."""

    name: str
    type: PgType
    mode: str

    @property
    def sent(self) -> bool:
        """Whether a call passes a value for it."""
        return self.mode in "ibv"


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, or a procedure (`kind` "p").

    The arguments in `sent` have defaults from index `required` onwards. returns: the type of its values, if they are
    not rows. attributes: the columns of its rows, if they are of a composite type.
    """

    schema: str
    bare: str
    name: str
    kind: str
    arguments: tuple[Argument, ...]
    required: int
    result: str
    comment: str | None
    many: bool = False  # whether it returns a set of rows
    rows_of: Table | None = None  # the table that its rows are taken from
    returns: PgType | None = None
    attributes: tuple[tuple[str, PgType], ...] = ()

    @property
    def sent(self) -> tuple[Argument, ...]:
        """Return the arguments that a call passes."""
        return tuple(a for a in self.arguments if a.sent)

    @property
    def outputs(self) -> tuple[tuple[str, PgType], ...]:
        """Return name and type of each column of its rows, if they are known before a call.

        PostgreSQL names an output argument without a name by its place, and a single one after the function.
        """
        found = [argument for argument in self.arguments if argument.mode in "obt"]
        if not found and self.kind == "f":
            return self.attributes or (((self.bare, self.returns),) if self.returns is not None else ())
        if len(found) == 1 and not found[0].name and self.kind == "f":
            return ((self.bare, found[0].type),)
        return tuple((argument.name or f"column{place}", argument.type) for place, argument in enumerate(found, 1))

    @property
    def columns_unknown(self) -> bool:
        """Whether the columns of its rows are known only when it is called."""
        return self.kind == "f" and self.result.removeprefix("SETOF ") == "record"


@dataclass(slots=True, eq=False)
class Schema:
    """The tables and routines of a database. `fingerprint` changes with the schema.

    privileges: by database role, for the roles that callers run as. types: changes with the types of the database,
    except those of tables.
    """

    tables: dict[str, Table]
    fingerprint: str
    _lower: dict[str, str] = field(default_factory=dict)
    routines: tuple[Routine, ...] = ()
    privileges: dict[str, RolePrivileges] = field(default_factory=dict)
    types: int = 0

    def find(self, name: str) -> Table | None:
        """Return a table by its case-insensitive name or `<schema>.<table>`."""
        return self.tables.get(name) or self.tables.get(self._lower.get(name.lower(), ""))


def only(schema: Schema, named: frozenset[str]) -> Schema:
    """Return a copy of the schema with only these tables, without relations to or through others."""
    tables = {n: replace(t, relations={}, _folded=(0, {})) for n, t in schema.tables.items() if n in named}
    for table in tables.values():
        for name, relation in schema.tables[table.name].relations.items():
            junction = relation.junction
            if relation.target.name in named and (junction is None or junction.name in named):
                through = None if junction is None else tables[junction.name]
                table.relations[name] = replace(relation, target=tables[relation.target.name], junction=through)
    lower = {name.lower(): name for name in tables}
    return Schema(tables, schema.fingerprint, lower, schema.routines, schema.privileges, schema.types)


def describe(table: Table) -> dict[str, Any]:
    """Derive a human-readable label and plural from the name of a table."""
    label = table.bare.replace("_", " ").strip().title() or table.bare
    ends = ("s", "x", "z", "ch", "sh")
    plural = label[:-1] + "ies" if _IN_Y.search(label) else label + ("es" if label.endswith(ends) else "s")
    return {"label": label, "plural": plural}
