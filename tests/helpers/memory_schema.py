"""A small schema in memory, for unit tests of the modules that build SQL without a database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from tableapi.auth.rights import Right
from tableapi.query.expressions.conditions import where
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.limits import Limits
from tableapi.query.options import options
from tableapi.query.plan import ReadRequest
from tableapi.query.statement import finish
from tableapi.schema.model import Column, Relation, Schema, Table
from tableapi.schema.sqltypes import Native
from tableapi.schema.types import BY_NAME, PgType


def pg_type(name: str) -> PgType:
    """Return a type by its name in PostgreSQL."""
    return PgType(BY_NAME[name], name, name)


def table(name: str, columns: Mapping[str, str], key: tuple[str, ...] = ("id",)) -> Table:
    """Return a table. `columns`: types by name, with " not null" or " = default" after the type."""
    result = Table("public", name, name, "r", sa.table(name), {}, key)
    for column, declared in columns.items():
        text, _, default = declared.partition(" = ")
        kind = pg_type(text.removesuffix(" not null"))
        nullable = not text.endswith(" not null") and column not in key
        result.columns[column] = Column(column, kind, nullable, default or None, "", False)
        result._lower[column.lower()] = column
        result.clause.append_column(sa.column(column, Native(kind.name)))
    if key:
        result.uniques.append(frozenset(key))
    return result


def relate(name: str, source: Table, target: Table, own: str) -> None:
    """Add a foreign key `own` of `source`, and the relations of both tables."""
    parent = f"{target.name}_by_{own}" + ("_parent" if source is target else "")
    source.relations[parent] = Relation(parent, "belongs_to", target, (own,), target.key)
    kind = "has_one" if source.is_unique((own,)) else "has_many"
    target.relations[name] = Relation(name, kind, source, target.key, (own,))


def shop() -> Schema:
    """Return a schema of companies, people, and their tags through a junction."""
    company = table("company", {"id": "integer", "Name": "text not null", "attrs": "jsonb", "secret": "text"})
    person = table(
        "person",
        {
            "id": "integer", "name": "text not null", "email": "text", "age": "integer", "salary": "numeric",
            "born": "date", "vip": "boolean", "ext": "uuid", "company_id": "integer", "attrs": "jsonb not null",
        },
    )  # fmt: skip
    person.uniques.append(frozenset(("email",)))
    tag = table("tag", {"slug": "text", "label": "text"}, ("slug",))
    person_tag = table("person_tag", {"person_id": "integer", "tag_slug": "text"}, ("person_id", "tag_slug"))
    event = table("event", {"at": "timestamp with time zone", "note": "text"}, ())
    relate("person_by_company_id", person, company, "company_id")
    relate("person_tag_by_person_id", person_tag, person, "person_id")
    link = Relation(
        "tag_by_person_tag", "many_many", tag, ("id",), ("slug",), person_tag, ("person_id",), ("tag_slug",)
    )
    person.relations[link.name] = link
    tables = {source.name: source for source in (company, event, person, person_tag, tag)}
    return Schema(tables, "", {name: name for name in tables})


class TableRights:
    """Rights by table; a table that is not named has full rights, None means none."""

    def __init__(self, **rights: Right | None) -> None:
        self._rights = rights

    def right(self, table: Table, verb: str) -> Right | None:
        return self._rights.get(table.name, Right())

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False


def read_request(
    name: str, query: Mapping[str, str], rights: TableRights | None = None, *, limits: Limits | None = None
) -> ReadRequest:
    """Return the read of a table with these options."""
    rights = rights or TableRights()
    source = shop().tables[name]
    right = rights.right(source, "GET")
    assert right is not None
    parsed = options(query, None, source.relation)
    tree: Filter | None = cache.parse(parsed.filter)[0] if parsed.filter else None
    return ReadRequest(source, right, rights, parsed, tree, limits or Limits(rows=100))


def one_line(sql: str) -> str:
    """Return SQL on one line and easier to read.

    The aliases of tables are numbered among themselves, other names of FROM have no number, and the list of all columns
    of a table is `alias.*`.
    """
    numbers = sorted({int(number) for number in re.findall(r"\bt\$(\d+)", sql)})
    text = re.sub(r"\bt\$(\d+)", lambda found: f"t{numbers.index(int(found[1])) + 1}", " ".join(sql.split()))
    text = re.sub(r"(?<=[a-z])\$\d+", "", text)
    for source in shop().tables.values():
        for number in range(1, 6):
            quoted = [f'"{name}"' if name != name.lower() else name for name in source.columns]
            text = text.replace(", ".join(f"t{number}.{name} AS {name}" for name in quoted), f"t{number}.*")
    return text


def condition(text: str, rights: TableRights | None = None) -> tuple[str, list[tuple[object, ...]]]:
    """Return the WHERE of a filter on `person`, and the sources of its parameters."""
    request = read_request("person", {"filter": text, "params": '{"n": 5, "list": [1, null, 2], "none": null}'}, rights)
    assert request.filter is not None
    scope = request.scope()
    select: sa.Select[Any] = (
        sa.select(sa.literal_column("1")).select_from(scope.clause).where(*where(scope, request.filter.tree))
    )
    statement = finish(select, scope.binder)
    return one_line(statement.sql).partition(" WHERE ")[2], [source.source for source in statement.sources]
