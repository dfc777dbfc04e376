"""A short description of a database, for language models: `_spec?compact=true` and `_spec?model=true`."""

from __future__ import annotations

from typing import Any

from tableapi.auth.policy import VERBS
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import NotFound
from tableapi.query import plan
from tableapi.schema.model import Table
from tableapi.schema.types import KINDS
from tableapi.tables import describe

SYNTAX = {
    "filter": "status = 'open' and (total > 100 or customer_by_customer_id.city in (Oslo, Cork))",
    "operators": "= != > >= < <= IN LIKE ILIKE CONTAINS, STARTS WITH, ENDS WITH, BETWEEN, IS NULL; AND OR NOT",
    "order": "total desc, id",
    "fields": "id,total",
    "related": "customer_by_customer_id",
    "pages": "limit, offset, include_count=true",
    "groups": "fields=status,COUNT(*),SUM(total)&group=status",
}


def compact(dataset: Dataset, rights: Rights, table: Table | None) -> dict[str, Any]:
    """Return paths, option syntax, and each table with its columns and relations as words."""
    base = f"/api/v2/{dataset.name}/_table/"
    usable = {one.name for one in describe.allowed(dataset.schema, rights)}
    tables = [
        {
            "name": one.name,
            "path": base + one.name,
            "verbs": describe.verbs(one, rights),
            "key": [name for name in one.key if _right(one, rights).can_read(name)],
            "fields": [f"{column['name']} {column['type']}" for column in _columns(one, rights, usable)],
            "related": [f"{r.name}: {r.kind} {r.target.name}" for r in describe.related(one, rights)],
        }
        for one in _tables(dataset, rights, table)
    ]
    return {"service": dataset.name, "type": "pgsql", "syntax": SYNTAX, "tables": tables}


def model(dataset: Dataset, rights: Rights, table: Table | None) -> dict[str, Any]:
    """Return each table with its columns, foreign keys, hierarchies and junctions."""
    tables = []
    usable = {one.name for one in describe.allowed(dataset.schema, rights)}
    for one in _tables(dataset, rights, table):
        relations = describe.related(one, rights)
        described: dict[str, Any] = {"name": one.name, "columns": _columns(one, rights, usable)}
        if any(relation.target is one for relation in relations):
            described["hierarchy"] = True
        if junctions := sorted({r.junction.name for r in relations if r.junction is not None}):
            described["joined_through"] = junctions
        tables.append(described)
    return {"service": dataset.name, "type": "pgsql", "tables": tables}


def _tables(dataset: Dataset, rights: Rights, table: Table | None) -> list[Table]:
    usable = describe.allowed(dataset.schema, rights)
    if table is None:
        return usable
    if table not in usable:
        raise NotFound(f"Table '{table.name}' does not exist.", reason="unknown_table")
    return [table]


def _right(table: Table, rights: Rights) -> Any:
    """Return the right that determines which columns are described."""
    granted = (rights.right(table, verb) for verb in VERBS)
    return next((right for right in granted if right is not None), None) or plan.right_of(table, rights, "GET")


def _columns(table: Table, rights: Rights, usable: set[str]) -> list[dict[str, Any]]:
    """Return the columns visible to the caller, omitting references to tables that are not `usable`."""
    right = _right(table, rights)
    columns = []
    for column in table.columns.values():
        if not right.can_read(column.name):
            continue
        described: dict[str, Any] = {"name": column.name, "type": KINDS[column.type.kind].api}
        if column.name in table.key:
            described["primary_key"] = True
        if column.refers and column.refers[0] in usable:
            described["references"] = ".".join(column.refers)
        columns.append(described)
    return columns
