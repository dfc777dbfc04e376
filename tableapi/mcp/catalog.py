"""The tools that describe tables: list_tables and describe_tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tableapi import exact_json
from tableapi.auth.policy import VERBS
from tableapi.auth.rights import Right, Rights
from tableapi.auth.rule_text import rule_of
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import to_api_error
from tableapi.mcp.arguments import DescribeTables, ListTables
from tableapi.mcp.caller import Caller
from tableapi.mcp.truncation import MAX_BYTES
from tableapi.query import plan
from tableapi.schema.model import Column, Table
from tableapi.schema.types import KINDS
from tableapi.tables import describe

LIST_BYTES = 8_000  # result of list_tables
MAX_COLUMNS_LISTED = 20  # per table in list_tables
SAMPLE_ROWS, SAMPLES, SAMPLE_CHARS = 5, 3, 40
COMMENT_CHARS = 300
_ACTIONS = {"GET": "read", "POST": "create", "PATCH": "update", "DELETE": "delete"}


async def list_tables(caller: Caller, arguments: ListTables) -> dict[str, Any]:
    """Return the tables that the caller may use, with the names of their columns and relations."""
    if not arguments.database and len(caller.datasets) > 1:
        return {"databases": [{"name": n, "tables": len(caller.tables(d))} for n, d in caller.datasets.items()]}
    dataset = caller.dataset(arguments.database)
    rights, size = caller.rights(dataset), 0
    found = _found(caller.tables(dataset), rights, arguments.search.lower().split())
    tables = [table for table, _ in found]
    lines: list[dict[str, Any]] = []
    for table, columns in found[arguments.offset :]:
        line = _line(table, rights, caller.verbs) | ({"found": columns} if columns else {})
        size += len(exact_json.dumps(line))
        if lines and size > LIST_BYTES:
            break
        lines.append(line)
    result: dict[str, Any] = {"tables": lines, "count": len(tables)}
    if (end := arguments.offset + len(lines)) < len(tables):
        result |= {"next_offset": end, "note": "More tables follow: call again with offset, or with search."}
    return result


def _found(tables: list[Table], rights: Rights, words: list[str]) -> list[tuple[Table, list[str]]]:
    """Return the tables that have every word in their name or comment, or in those of their columns.

    Each comes with the columns in which a word was found. Columns that the caller cannot read are not searched. Tables
    with all words in their name come first.
    """
    if not words:
        return [(table, []) for table in tables]
    named: list[tuple[Table, list[str]]] = []
    others: list[tuple[Table, list[str]]] = []
    for table in tables:
        right = _right(table, rights)
        own = f"{table.name}\n{table.comment or ''}".lower()
        texts = {
            c.name: f"{c.name}\n{c.comment or ''}".lower() for c in table.columns.values() if right.can_read(c.name)
        }
        columns = [name for name, text in texts.items() if any(word in text for word in words)]
        if all(word in table.name.lower() for word in words):
            named.append((table, columns))
        elif all(word in own or any(word in texts[name] for name in columns) for word in words):
            others.append((table, columns))
    return named + others


def _line(table: Table, rights: Rights, verbs: Collection[str]) -> dict[str, Any]:
    """Return the short description of a table."""
    right = _right(table, rights)
    names = [name for name in table.columns if right.can_read(name)]
    columns = ", ".join(names[:MAX_COLUMNS_LISTED]) + (", …" if len(names) > MAX_COLUMNS_LISTED else "")
    line: dict[str, Any] = {"name": table.name, "may": _may(table, rights, verbs), "columns": columns}
    if relations := [relation.name for relation in describe.related(table, rights)]:
        line["relations"] = ", ".join(relations[:MAX_COLUMNS_LISTED])
    if table.comment:
        line["description"] = table.comment[:COMMENT_CHARS]
    return line


async def describe_tables(caller: Caller, arguments: DescribeTables) -> dict[str, Any]:
    """Return columns, keys, relations and example values of tables."""
    dataset = caller.dataset(arguments.database)
    tables: list[dict[str, Any]] = []
    left: list[str] = []
    size = 0
    for name in arguments.tables:
        table = await caller.table(dataset, name)
        if left:
            left.append(table.name)
            continue
        description = await _description(caller, dataset, table, samples=arguments.samples)
        size += len(exact_json.dumps(description))
        if tables and size > MAX_BYTES:
            left.append(table.name)
        else:
            tables.append(description)
    result: dict[str, Any] = {"tables": tables}
    if left:
        result |= {"left_out": left, "note": "Call again for the tables in left_out."}
    return result


async def _description(caller: Caller, dataset: Dataset, table: Table, *, samples: bool) -> dict[str, Any]:
    rights = caller.rights(dataset)
    right, reads = _right(table, rights), rights.right(table, "GET")
    examples = await _examples(caller, dataset, table, reads) if samples and reads else {}
    described: dict[str, Any] = {"name": table.name, "may": _may(table, rights, caller.verbs)}
    if table.comment:
        described["description"] = table.comment[:COMMENT_CHARS]
    if table.is_view:
        described["view"] = True
    if samples and reads and (rows := await _estimate(caller, dataset, table)) is not None:
        described["estimated_rows"] = rows
    described |= _row_rules(table, rights, right, caller.verbs)
    described["key"] = [name for name in table.key if right.can_read(name)]
    columns = [column for column in table.columns.values() if right.can_read(column.name)]
    usable = {other.name for other in describe.allowed(dataset.schema, rights)}
    described["columns"] = [_column(column, examples.get(column.name), usable) for column in columns]
    described["relations"] = [
        {"name": r.name, "table": r.target.name, "type": r.kind, "by": ",".join(r.own)}
        for r in describe.related(table, rights)
    ]
    if sealed := [column.name for column in columns if column.name in right.sealed]:
        described["not_filterable"] = sealed
    return described | _writable(table, rights, caller.verbs)


def _column(column: Column, examples: list[Any] | None, usable: set[str]) -> dict[str, Any]:
    """Describe a column, omitting defaults. `usable`: tables that may be named."""
    described: dict[str, Any] = {"name": column.name, "type": KINDS[column.type.kind].api}
    if column.required:
        described["required"] = True
    if column.refers and column.refers[0] in usable:
        described["references"] = ".".join(column.refers)
    if column.type.labels:
        described["values"] = list(column.type.labels)[:50]
    elif examples:
        described["examples"] = examples
    if column.comment:
        described["description"] = column.comment[:COMMENT_CHARS]
    return described


def _right(table: Table, rights: Rights) -> Right:
    """Return the right that determines which columns are described.

    Raises Forbidden if the caller has none.
    """
    granted = (rights.right(table, verb) for verb in VERBS)
    return next((right for right in granted if right is not None), None) or plan.right_of(table, rights, "GET")


def _row_rules(table: Table, rights: Rights, shown: Right, verbs: Collection[str]) -> dict[str, str]:
    """Describe the rows that the caller may read and, if different, the rows that it may change.

    shown: the right that determines the visible columns.
    """
    said: dict[str, str] = {}
    for verb, name in (("GET", "rows"), ("PATCH", "rows_to_update"), ("DELETE", "rows_to_delete")):
        right = rights.right(table, verb) if verb in verbs else None
        if right is not None and (words := rule_of(table, right, shown.can_read)) and words != said.get("rows"):
            said[name] = words
    return said


def _may(table: Table, rights: Rights, verbs: Collection[str]) -> list[str]:
    """Return the actions that the caller may take on the rows of a table."""
    return [action for verb, action in _ACTIONS.items() if verb in verbs and rights.right(table, verb)]


def _writable(table: Table, rights: Rights, verbs: Collection[str]) -> dict[str, list[str]]:
    """Return the columns that a create and an update may set, if not all."""
    listed = {}
    for verb, name in (("POST", "create_columns"), ("PATCH", "update_columns")):
        right = rights.right(table, verb) if verb in verbs else None
        if right is not None and right.writable is not None:
            listed[name] = [c for c in table.columns if right.may_set((c,))]
    return listed


async def _examples(caller: Caller, dataset: Dataset, table: Table, reads: Right) -> dict[str, list[Any]]:
    """Return a few different values of each column that the caller may read."""
    names = [name for name in table.columns if reads.can_read(name) and name not in reads.sealed]
    if not names:
        return {}
    try:
        options = {"fields": [f'"{name}"' for name in names if '"' not in name], "limit": SAMPLE_ROWS}
        rows = (await caller.json("GET", dataset, ("_table", table.name), options))["resource"]
    except Exception as error:
        if to_api_error(error) is None:
            raise
        return {}
    examples: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            shown = _short(value)
            if shown is not None and shown not in (values := examples.setdefault(name, [])) and len(values) < SAMPLES:
                values.append(shown)
    return examples


def _short(value: Any) -> Any:
    """Return an example value: long texts are truncated, and lists and objects become text."""
    if isinstance(value, dict | list):
        value = exact_json.dumps(value).decode()
    return value[: SAMPLE_CHARS - 1] + "…" if isinstance(value, str) and len(value) > SAMPLE_CHARS else value


async def _estimate(caller: Caller, dataset: Dataset, table: Table) -> int | None:
    """Return PostgreSQL's estimate of the rows that the caller may read; None if that is not permitted."""
    try:
        options = {"count_only": True, "include_count": "estimated"}
        return int(await caller.json("GET", dataset, ("_table", table.name), options))
    except Exception as error:
        if to_api_error(error) is None:
            raise
        return None
