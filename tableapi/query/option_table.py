"""The options of requests for tables, one row each: how they are parsed and where they may stand.

Strictness, plan keys, the OpenAPI document and the table of docs/reference/wire.md follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tableapi.query import option_values as values

_TEXT, _FLAG, _WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    convert: from its name and value to the value of the fields `into` of `Options`, its own name by default. schema,
    text: for OpenAPI, which leaves it out without a text. in_body: whether it may also stand in a JSON body, next to
    the records. bound: its value is bound, so no plan depends on it. of_reads: it has no effect on a write. selects: a
    read with it returns only some of the matching records, or matches others. on: the requests that OpenAPI describes
    with it, of `list`, `record`, `write`.
    """

    name: str
    convert: Callable[[str, Any], Any]
    schema: Mapping[str, Any]
    text: str
    aliases: tuple[str, ...] = ()
    into: tuple[str, ...] | None = None
    in_body: bool = False
    bound: bool = False
    of_reads: bool = False
    selects: bool = False
    on: tuple[str, ...] = ()


TABLE = (
    Option("fields", values.text, _TEXT,
           "Comma list of fields, or `*`. Reads give all by default, writes the identifying ones; empty: the "
           "identifying ones. Also `<relation>.<field>` of a parent, `<json field>.<key>`, CAST(f AS type), MONTH(f) "
           "and other parts of dates, `<relation>.COUNT(*)` and other aggregates of related records, HIGHLIGHT(f); "
           "each with `AS <name>`. With `group` also COUNT(*), COUNT(f), SUM(f), AVG(f), MIN(f), MAX(f), "
           "PERCENTILE(f, 0.9), each also with FILTER (WHERE <conditions>) AS <name>. In lists also window functions "
           "over the rows of the page: SUM(f) OVER (PARTITION BY g ORDER BY h) AS <name>, and COUNT, AVG, MIN, MAX, "
           "ROW_NUMBER(), RANK(), DENSE_RANK(), LAG(f), LEAD(f), FIRST_VALUE(f), LAST_VALUE(f). Alias: select.",
           aliases=("select",), in_body=True, on=("list", "record", "write")),
    Option("filter", values.bound_text, _TEXT,
           "Conditions such as `(age > 30) AND (name CONTAINS 'x')`. Operators: = != <> > >= < <= EQ NE GT GTE LT "
           "LTE, [NOT] IN (...), [NOT] LIKE, ILIKE, CONTAINS, STARTS WITH, ENDS WITH, SIMILAR, [NOT] BETWEEN a AND "
           "b, IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM, ~ ~* !~ !~* for regular expressions, MATCHES "
           "'words' [USING english], and on arrays and ranges CONTAINS, CONTAINED BY, OVERLAPS, ADJACENT TO, BEFORE, "
           "AFTER, and on geometries WITHIN '{GeoJSON}', INTERSECTS, DWITHIN ('{GeoJSON}', metres); logic: AND OR "
           "XOR NOR NOT. `<relation>.<field>` asks for a related record, `<json field>.<key>` for a value inside "
           "JSON, `<relation>.COUNT(*)` for the number of related records. Alias: where.",
           aliases=("where",), in_body=True, bound=True, on=("list",)),
    Option("params", values.params, _TEXT,
           "JSON object of the named values (`:name`) of the filter.",
           in_body=True, bound=True, on=("list",)),
    Option("ids", values.ids, _TEXT,
           "Comma list of identifiers; those of a composite key in parentheses: `(3,new),(1,eu)`.",
           in_body=True, bound=True, on=("list",)),
    Option("id_field", values.text, _TEXT,
           "A unique field (or comma list) that identifies records instead of the primary key.",
           in_body=True, on=("list", "record", "write")),
    Option("order", values.text, _TEXT,
           "Comma list of `field [asc|desc] [nulls first|last]`; also a field of a parent, a value inside JSON, a "
           "function or an aggregate of a relation, as in `fields`. Aliases: sort, order_by.",
           aliases=("sort", "order_by"), in_body=True, of_reads=True, on=("list",)),
    Option("distinct", values.text, _TEXT,
           "Fields; of records that are equal in them, the first one in the order is returned.",
           in_body=True, of_reads=True, selects=True, on=("list",)),
    Option("group", values.text, _TEXT,
           "Comma list of fields to group by, or of functions such as `MONTH(field)`. Alias: group_by.",
           aliases=("group_by",), in_body=True, of_reads=True, selects=True, on=("list",)),
    Option("having", values.text, _TEXT,
           "Conditions on groups, such as `COUNT(*) > 3`.",
           in_body=True, of_reads=True, selects=True, on=("list",)),
    Option("limit", values.integer, _WHOLE,
           "Records in the response; missing, 0, negative or too large: the maximum. Alias: top.",
           aliases=("top",), in_body=True, of_reads=True, selects=True, on=("list",)),
    Option("offset", values.integer, {**_WHOLE, "default": 0},
           "Records to leave out at the beginning. Alias: skip.",
           aliases=("skip",), in_body=True, bound=True, of_reads=True, selects=True, on=("list",)),
    Option("cursor", values.bound_text, _TEXT,
           "Pages that stay fast: empty for the first, then `meta.next_cursor` of the last response.",
           in_body=True, bound=True, of_reads=True, selects=True, on=("list",)),
    Option("include_count", values.count, {"anyOf": [_FLAG, {"type": "string", "enum": ["estimated"]}]},
           "`true`: the number of all records of the filter in `meta.count`; `estimated`: a cheap guess.",
           into=("include_count", "estimated"), in_body=True, of_reads=True, on=("list",)),
    Option("count_only", values.boolean, _FLAG,
           "The response is the number of records alone.",
           in_body=True, of_reads=True, on=("list",)),
    Option("include_schema", values.boolean, _FLAG,
           "The description of the table in `meta.schema`.",
           of_reads=True, on=("list",)),
    Option("related", values.text, _TEXT,
           "Comma list of relations to read with each record, or `*`. Options of one relation: `<relation>.fields`, "
           "`.filter`, `.order`, `.limit`, `.offset`, `.related`.",
           in_body=True, on=("list", "record", "write")),
    Option("as_list", values.boolean, _FLAG, "Only the values of the key.", on=("list", "write")),
    Option("wrap", values.boolean, {**_FLAG, "default": True},
           "`false`: a plain array instead of an object with `resource`.",
           on=("list", "write")),
    Option("file", values.text, _TEXT,
           "Download under this name; `.csv`, `.xlsx` or `.json` says in which format.",
           on=("list", "record")),
    Option("accept", values.accepted, _TEXT,
           "Format, for callers that cannot set the Accept header: `csv`, `xlsx`, `xml` or `json`.",
           aliases=("format",), on=("list", "record")),
    Option("refresh", values.boolean, _FLAG, "Read past any cache.", on=("list",)),
    Option("timezone", values.text, _TEXT,
           "Times, and starts of days and months, in this zone, such as `Europe/Oslo`.",
           selects=True, on=("list", "record")),
    Option("numbers", values.numbers, {"type": "string", "enum": ["json", "text"], "default": "json"},
           "`text`: numeric, bigint and money as strings, for languages whose numbers cannot hold them.",
           into=("exact_texts",), in_body=True, on=("list", "record", "write")),
    Option("explain", values.boolean, _FLAG, "With all rights: how PostgreSQL would execute the read.", on=("list",)),
    Option("continue", values.going_on, _FLAG,
           "Go on after a record that failed; each that succeeded is kept.",
           into=("go_on",), in_body=True, on=("write",)),
    Option("rollback", values.boolean, _FLAG,
           "Say in the error that nothing was kept (nothing is, unless `continue`).",
           in_body=True, on=("write",)),
    Option("upsert", values.upsert, {"type": "string", "enum": ["true", "false", "ignore", "get"], "default": "false"},
           "`true`: change the record when one with the same key (or `id_field`) exists; `ignore`: leave it as it "
           "is; `get`: leave it as it is, and return it.",
           into=("upsert", "ignore_existing", "get_existing")),
    Option("dry_run", values.boolean, _FLAG,
           "The response that the write would have; nothing is kept.",
           in_body=True, bound=True, on=("write",)),
    Option("max_affected", values.at_least_zero, _WHOLE,
           "A write of more records is rejected and rolled back.",
           in_body=True, bound=True, on=("write",)),
    Option("return", values.returned, {"type": "string", "enum": ["minimal", "representation"]},
           '`minimal`: the response is `{"success": true}`.',
           into=("minimal",), on=("write",)),
    Option("allow_related_delete", values.boolean, _FLAG,
           "Delete released children that cannot stand alone.",
           on=("write",)),
    Option("force", values.boolean, _FLAG, "Delete all records, when neither ids, records nor filter say which."),
    Option("method", values.handled, _TEXT,
           "The verb a POST stands for: GET, PUT, PATCH, MERGE or DELETE. Header: X-HTTP-Method-Override.",
           aliases=("_method",), into=()),
    Option("raw", values.no_raw, _TEXT, "", into=()),
    Option("import", values.handled, _FLAG, "", into=()),
)  # fmt: skip
BY_NAME = {option.name: option for option in TABLE}


def on(kind: str) -> tuple[str, ...]:
    """Return the names of the options that OpenAPI describes for requests of a kind."""
    return tuple(option.name for option in TABLE if kind in option.on)
