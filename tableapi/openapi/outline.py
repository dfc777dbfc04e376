"""Describe tables for clients with a user interface: `_spec?outline=true`."""

from __future__ import annotations

from typing import Any

import orjson

from tableapi.auth.policy import VERBS
from tableapi.auth.rights import Right, Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import NotFound
from tableapi.schema.model import Table
from tableapi.schema.model import describe as labels
from tableapi.tables import describe

# PostgreSQL's estimates, which require no read of the tables. -1 means never analyzed.
_ESTIMATES = """
select coalesce(json_object_agg(n.nspname || '.' || c.relname, c.reltuples::int8), '{}'::json)::text as estimates
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'f') and c.reltuples >= 0 and n.nspname not in ('pg_catalog', 'information_schema')
"""


async def outline(dataset: Dataset, rights: Rights) -> dict[str, Any]:
    """Return the tables that the caller may use, with labels, verbs and estimates of their rows.

    `rows` is None if a row rule limits the caller, because the estimate includes rows that it may not see.
    """
    row: Any = await dataset.db.reads.fetchrow(_ESTIMATES)
    estimates = orjson.loads(row[0])
    tables = [
        {
            "name": table.name,
            **labels(table),
            "description": table.comment,
            "is_view": table.is_view,
            "access": describe.verbs(table, rights),
            "rows": estimates.get(f"{table.schema}.{table.bare}") if _sees_all_rows(table, rights) else None,
        }
        for table in describe.allowed(dataset.schema, rights)
    ]
    return {"service": dataset.name, "resource": tables}


def table_outline(dataset: Dataset, rights: Rights, table: Table) -> dict[str, Any]:
    """Return one table with its columns, relations, and the columns that the caller may set.

    Raises NotFound for a table that the caller may not use.
    """
    if table not in describe.allowed(dataset.schema, rights):
        raise NotFound(f"Table '{table.name}' does not exist.", reason="unknown_table")
    right = next(right for verb in VERBS if (right := rights.right(table, verb)) is not None)
    described = describe.describe(dataset.schema, table, right, rights)
    create, update = (_settable(table, rights.right(table, verb)) for verb in ("POST", "PATCH"))
    for field in described["field"]:
        name = field["name"]
        # A default expression is of no use to a client that sends values.
        field["has_default"] = field.pop("default") is not None or field["auto_increment"]
        field |= {"create": name in create, "update": name in update, "sealed": name in right.sealed}
    return described


def _sees_all_rows(table: Table, rights: Rights) -> bool:
    right = rights.right(table, "GET")
    if right is None or right.secured:
        return False
    return right.rows is None and not right.rows_when_filtered_by and not right.editable_in and not right.key_list


def _settable(table: Table, right: Right | None) -> frozenset[str]:
    if right is None:
        return frozenset()
    return frozenset(
        name for name, column in table.columns.items()
        if not column.fixed and right.may_set((name,)) and name not in right.ignored
    )  # fmt: skip
