"""The arguments of the tools. Agents see their JSON Schema."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from tableapi import exact_json
from tableapi.exact_json import Number
from tableapi.mcp.conditions import SentCondition

MAX_ROWS = 200  # in one result
MAX_DESCRIBED = 10
MAX_WRITTEN = 1000
MAX_STEPS = 100

T = TypeVar("T")
# The first invalid item ends the validation: an error for each of 100,000 would take a second.
Many = Annotated[list[T], Field(fail_fast=True)]

# Describes filters in a caller's first tool with a filter; the other tools refer to that tool.
FILTER = (
    "E.g. \"status = 'open' and (total > 100 or customer_by_id.city = 'Oslo')\", or as JSON a list of "
    "{field, operator, value} that all hold. Operators: = != > >= < <= IN (a,b) LIKE ILIKE CONTAINS STARTS WITH "
    "ENDS WITH BETWEEN a AND b, IS [NOT] NULL; AND OR NOT. "
    "<relation>.<column>: of a related row. Functions: NOW(), CURRENT_DATE."
)


def _conditions(value: Any) -> Any:
    """Return the conditions in a text that is a JSON list of objects."""
    if isinstance(value, str) and _CONDITIONS.match(value):
        with suppress(orjson.JSONDecodeError):
            return exact_json.loads(value)
    return value


_CONDITIONS = re.compile(r"\s*+\[\s*+\{")
# Some clients reject all tools if a schema has several types, so these name the form that every client can send.
_TEXT = WithJsonSchema({"type": "string"})
Filter = Annotated[str | Many[SentCondition], BeforeValidator(_conditions), _TEXT]
Names = Many[str]


def _whole(value: Any) -> Any:
    """Return a number beyond 64 bits, of which the text is kept, as an integer."""
    return int(value.text) if isinstance(value, Number) and value.text.removeprefix("-").isdigit() else value


# Strict, because true must not count as 1, which would name another record.
_Part = Annotated[Annotated[int, Field(strict=True)] | str, BeforeValidator(_whole)]
Identifier = Annotated[_Part | Many[_Part], _TEXT]  # value of a primary key; a list for a composite key
KEY = "Key value; of several columns: 3,eu."
Record = dict[str, Any]


class Arguments(BaseModel):
    """Arguments of a tool; unknown names are rejected."""

    model_config = ConfigDict(extra="forbid")


class DatabaseArguments(Arguments):
    """Arguments of a tool that uses one database."""

    database: str = Field(default="")


class ListTables(DatabaseArguments):
    """Arguments of list_tables."""

    search: str = Field(default="", max_length=100, description="Words in names and comments.")
    offset: int = Field(default=0, ge=0)


class DescribeTables(DatabaseArguments):
    """Arguments of describe_tables."""

    tables: Names = Field(min_length=1, max_length=MAX_DESCRIBED)
    samples: bool = True


class TableArguments(DatabaseArguments):
    """Arguments of a tool that uses one table."""

    table: str = Field(min_length=1)


class Query(TableArguments):
    """Arguments of query."""

    filter: Filter = ""
    fields: Names = Field(default=[], description="Default all; also SUM(x) OVER (ORDER BY y) AS z.")
    related: Names = Field(default=[])
    related_limit: int = Field(default=10, ge=1, le=MAX_ROWS)
    order: Names = Field(default=[], description='E.g. ["total desc", "id"].')
    limit: int = Field(default=20, ge=1, le=MAX_ROWS)
    offset: int = Field(default=0, ge=0, description="next_offset of the last result.")
    count: bool = False


class Measure(BaseModel):
    """One aggregate."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=lambda schema: schema.pop("description", None))
    function: Literal["count", "sum", "avg", "min", "max"]
    field: str = Field(default="*")


class Aggregate(TableArguments):
    """Arguments of aggregate."""

    measures: Many[Measure] = Field(
        min_length=1, max_length=20, description="Named <function>_<field>, and count_all for *."
    )
    group: Names = Field(default=[])
    filter: Filter = ""
    having: str = Field(default="", description='Such as "COUNT(*) > 5".')
    order: Names = Field(default=[], description='Such as ["sum_total desc"].')
    limit: int = Field(default=50, ge=1, le=MAX_ROWS)
    offset: int = Field(default=0, ge=0)


class GetRecord(TableArguments):
    """Arguments of get_record."""

    id: Identifier = Field(description=KEY)
    fields: Names = Field(default=[])
    related: Names = Field(default=[])
    text_from: int = Field(default=0, ge=0, description="Read on in texts that were cut.")


MaxAffected = Annotated[int, Field(ge=1, le=MAX_WRITTEN, description="Change nothing beyond so many rows.")]
DryRun = Annotated[bool, Field(description="Keep nothing.")]


class WriteArguments(TableArguments):
    """Arguments of every write."""

    max_affected: MaxAffected = 10
    dry_run: DryRun = False


OF_WRITES = tuple(name for name in WriteArguments.model_fields if name not in TableArguments.model_fields)


class CreateRecords(WriteArguments):
    """Arguments of create_records."""

    records: Many[Record] = Field(min_length=1, max_length=MAX_WRITTEN)


class UpdateRecords(WriteArguments):
    """Arguments of update_records."""

    records: Many[Record] = Field(default=[], max_length=MAX_WRITTEN, description="Each with its key.")
    filter: Filter = ""
    change: Record = Field(default={}, description="With filter: the columns to set.")


class DeleteRecords(WriteArguments):
    """Arguments of delete_records."""

    ids: Many[Identifier] = Field(default=[], max_length=MAX_WRITTEN)
    filter: Filter = ""


class RunBatch(DatabaseArguments):
    """Arguments of batch."""

    requests: Many[dict[str, Any]] = Field(
        min_length=1,
        max_length=MAX_STEPS,
        description='Of HTTP: {"id": "a", "method": "POST", "path": "_table/<table>", "query": {}, "body": [records]}. '
        '{"$ref": "a.resource.0.<column>"} in a later one is a value of that response.',
    )
    max_affected: MaxAffected = 10
    dry_run: DryRun = False


class CallFunction(DatabaseArguments):
    """Arguments of call_function."""

    name: str = Field(min_length=1)
    arguments: dict[str, Any] = Field(default={}, description="By name.")


class ScriptInput(Arguments):
    """Arguments of a script offered as a tool, as they were sent."""

    model_config = ConfigDict(extra="allow")


class CallScript(Arguments):
    """Arguments of call_script."""

    name: str = Field(min_length=1)
    input: dict[str, Any] = Field(default={}, description="By name.")
