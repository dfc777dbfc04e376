"""Descriptions of tables: `/_schema`, `/_table` and access lists. See `docs/reference/wire.md`."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from tableapi.auth.policy import VERBS
from tableapi.auth.rights import Right, Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import Forbidden
from tableapi.http.response import Response, dumps
from tableapi.query import option_values
from tableapi.query.plan import Bindings, Plan
from tableapi.schema.model import Column, Relation, Schema, Table
from tableapi.schema.model import describe as labels
from tableapi.schema.types import KINDS
from tableapi.tables.request import TableRequest


def allowed(schema: Schema, rights: Rights) -> list[Table]:
    """Return the tables on which the caller may use any verb, sorted by name."""
    return [table for table in schema.tables.values() if any(rights.right(table, verb) for verb in VERBS)]


def describe(schema: Schema, table: Table, right: Right, rights: Rights) -> dict[str, Any]:
    """Return the description of a table as the caller may see it."""
    usable = {other.name for other in allowed(schema, rights)}
    return {
        "name": table.name,
        **labels(table),
        "description": table.comment,
        "is_view": table.is_view,
        "primary_key": [n for n in table.key if right.can_read(n)],
        "field": [field(table, c, usable) for c in table.columns.values() if right.can_read(c.name)],
        "related": [relation(r) for r in related(table, rights)],
        "access": verbs(table, rights),
    }


def verbs(table: Table, rights: Rights) -> list[str]:
    """Return the verbs that the caller may use."""
    return [verb for verb in VERBS if rights.right(table, verb)]


def related(table: Table, rights: Rights) -> list[Relation]:
    """Return the relations to tables that the caller may read."""
    own = rights.right(table, "GET")
    return [
        r
        for r in table.relations.values()
        if rights.right(r.target, "GET")
        and (r.junction is None or rights.right(r.junction, "GET"))
        and (r.function is None or (own is not None and own.computes(r.name)))
    ]


def field(table: Table, column: Column, usable: Container[str]) -> dict[str, Any]:
    """Return the description of a field. `usable`: the tables it may refer to."""
    is_key = column.name in table.key
    refers = column.refers if column.refers and column.refers[0] in usable else None
    kind = KINDS[column.type.kind].api
    if is_key and column.automatic and kind == "integer":
        kind = "id"
    elif column.refers and kind == "integer":
        kind = "reference"
    return {
        "name": column.name,
        "label": column.name.replace("_", " ").title(),
        "description": column.comment,
        "type": kind,
        "db_type": column.type.db_type,
        "length": column.length,
        "precision": column.precision,
        "scale": column.scale,
        "default": column.default,
        "required": column.required,
        "allow_null": column.nullable,
        "auto_increment": column.automatic,
        "is_primary_key": is_key,
        "is_unique": column.unique,
        "is_foreign_key": column.refers is not None,
        "ref_table": refers[0] if refers else None,
        "ref_field": refers[1] if refers else None,
        "picklist": list(column.type.labels) or None,
        "read_only": column.fixed,
    }


def relation(described: Relation) -> dict[str, Any]:
    return {
        "name": described.name,
        "label": described.name.replace("_", " ").title(),
        "type": described.kind,
        "field": ",".join(described.own),
        "ref_table": described.target.name,
        "ref_field": ",".join(described.theirs),
        "junction_table": described.junction.name if described.junction else None,
        "junction_field": ",".join(described.junction_own) or None,
        "junction_ref_field": ",".join(described.junction_theirs) or None,
        "always_fetch": False,
    }


async def tables(dataset: Dataset, rights: Rights, query: dict[str, str]) -> Response:
    """Handle `GET /_table` and `GET /_schema`."""
    usable = allowed(dataset.schema, rights)
    if option_values.boolean("as_list", query.get("as_list", "")):
        return Response(dumps({"resource": [t.name for t in usable]}))
    if not query.get("fields"):
        return Response(dumps({"resource": [{"name": t.name} for t in usable]}))
    descriptions = [{"name": t.name, **labels(t), "is_view": t.is_view, "access": verbs(t, rights)} for t in usable]
    return Response(dumps({"resource": descriptions}))


def access_list(dataset: Dataset, rights: Rights) -> Response:
    """Handle `GET /api/v2/<service>?as_access_list=true`: list the components that a role may name."""
    components = ["", "*"]
    for group in ("_table", "_schema"):
        components += [f"{group}/", f"{group}/*"]
        for table in allowed(dataset.schema, rights):
            components += [f"{group}/{table.name}/", f"{group}/{table.name}/*"]
    return Response(dumps({"resource": components}))


async def explained(call: TableRequest, page: Plan, values: Bindings) -> Response:
    """Return PostgreSQL's execution plan of a read.

    Raises:
        Forbidden: the caller lacks full rights, and the plan would show row rules and hidden fields.
    """
    if call.actor.role != "*":
        raise Forbidden("Only callers with full rights may use 'explain'.", reason="forbidden")
    row: Any = await call.dataset.db.reads.fetchrow(f"EXPLAIN (FORMAT JSON) {page.sql}", *page.args(values))
    return Response(row[0] if isinstance(row[0], bytes) else str(row[0]).encode())
