"""The tools that read rows: query, aggregate and get_record."""

from __future__ import annotations

from typing import Any

from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest
from tableapi.mcp import truncation
from tableapi.mcp.arguments import Aggregate, GetRecord, Query
from tableapi.mcp.caller import Caller
from tableapi.mcp.conditions import joined
from tableapi.query.aggregate import is_grouped
from tableapi.query.names import quoted_value
from tableapi.query.options import Options
from tableapi.schema.model import Table


async def query(caller: Caller, arguments: Query) -> dict[str, Any]:
    """Return rows of a table."""
    dataset = caller.dataset(arguments.database)
    table = await caller.table(dataset, arguments.table)
    if is_grouped(Options(fields=",".join(arguments.fields))):
        raise BadRequest("Use the tool aggregate for COUNT, SUM, AVG, MIN and MAX.", reason="bad_aggregate")
    text, params = joined(arguments.filter)
    options = {
        "filter": text,
        "params": params,
        "fields": arguments.fields,
        "related": arguments.related,
        "order": arguments.order,
        "include_count": arguments.count or None,
        **_relation_limits(table, arguments),
    }
    return await _page(caller, dataset, table, options, arguments)


def _relation_limits(table: Table, arguments: Query) -> dict[str, int]:
    """Return the option that limits the rows of each to-many relation."""
    relations = [relation for name in arguments.related if (relation := table.relation(name)) is not None]
    return {f"{relation.name}.limit": arguments.related_limit for relation in relations if relation.many}


async def aggregate(caller: Caller, arguments: Aggregate) -> dict[str, Any]:
    """Return groups of a table with their aggregates."""
    dataset = caller.dataset(arguments.database)
    table = await caller.table(dataset, arguments.table)
    text, params = joined(arguments.filter)
    measures = [f"{measure.function.upper()}({measure.field})" for measure in arguments.measures]
    options = {
        "filter": text,
        "params": params,
        "fields": [*arguments.group, *measures],
        "group": arguments.group,
        "having": arguments.having,
        "order": arguments.order,
    }
    return await _page(caller, dataset, table, options, arguments)


async def _page(
    caller: Caller, dataset: Dataset, table: Table, options: dict[str, Any], arguments: Query | Aggregate
) -> dict[str, Any]:
    """Return one page of rows, and the position of the next one.

    One row more than the limit is read to find out whether there are more. Without a filter or a count, a page costs no
    more than its rows.
    """
    limit = min(arguments.limit, max(1, dataset.limits.rows - 1))
    page = {"limit": limit + 1, "offset": arguments.offset or None}
    body = await caller.json("GET", dataset, ("_table", table.name), options | page)
    rows = body["resource"]
    shown, cut = truncation.fitting(rows[:limit])
    result = truncation.columns_and_values(shown, table)
    if len(shown) < len(rows):
        result["next_offset"] = arguments.offset + len(shown)
    if "count" in body.get("meta", {}):
        result["count"] = body["meta"]["count"]
    if len(shown) < min(len(rows), limit):
        result["note"] = f"{len(shown)} rows fit into the result. Read on from next_offset, or name fewer fields."
    if cut:
        result["cut_texts"] = cut  # get_record returns them in full
    return result


async def get_record(caller: Caller, arguments: GetRecord) -> dict[str, Any]:
    """Return one record by its primary key."""
    dataset = caller.dataset(arguments.database)
    table = await caller.table(dataset, arguments.table)
    parts = arguments.id if isinstance(arguments.id, list) else [arguments.id]
    ident = str(parts[0]) if len(parts) == 1 else ",".join(quoted_value(str(part)) for part in parts)
    options: dict[str, Any] = {"fields": arguments.fields, "related": arguments.related}
    if ident:
        body = await caller.json("GET", dataset, ("_table", table.name, ident), options)
    elif [table.columns[name].type.kind for name in table.key] in (["text"], ["bytea"]):  # a path cannot name it
        listed = await caller.json("GET", dataset, ("_table", table.name), options | {"ids": "''"})
        body = listed["resource"][0]
    else:
        raise BadRequest("The identifier is empty. Send the value of the primary key.", reason="bad_identifier")
    record, ends = truncation.record(body, arguments.text_from)
    result: dict[str, Any] = {"record": record}
    if ends:
        result["cut_texts"] = ends
        result["note"] = "Texts in cut_texts end at that character. Call again with text_from to read on."
    return result
