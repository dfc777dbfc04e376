"""The arguments of the tools. Their JSON Schema is what an agent sees."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableapi.mcp.conditions import SentCondition

MAX_ROWS = 200  # in one answer
MAX_DESCRIBED = 10
MAX_WRITTEN = 1000

Filter = Annotated[
    str | list[SentCondition],
    Field(
        description=(
            "Which rows. A text such as \"status = 'open' and (total > 100 or customer_by_id.city = 'Oslo')\", or "
            "a list of conditions that must all hold. Operators: = != > >= < <= IN (a,b) LIKE ILIKE CONTAINS "
            "STARTS WITH, ENDS WITH, BETWEEN a AND b, IS NULL, IS NOT NULL; AND OR NOT and parentheses. Text in single "
            "quotes. <relation>.<column> filters by a related row. No functions except NOW() and CURRENT_DATE."
        )
    ),
]
Names = list[str]
_Part = Annotated[int, Field(strict=True)] | str  # true is no 1: it would name another record
Identifier = Annotated[
    _Part | list[_Part],
    Field(description="The value of the primary key; a list for a key of several columns."),
]
Record = dict[str, Any]


class Arguments(BaseModel):
    """Arguments of a tool; an unknown name is refused."""

    model_config = ConfigDict(extra="forbid")


class DatabaseArguments(Arguments):
    """Arguments of a tool that uses one database."""

    database: str = Field(default="", description="Name of the database; left out where there is one.")


class ListTables(DatabaseArguments):
    """Arguments of list_tables."""

    search: str = Field(default="", max_length=100, description="Only tables with this text in their name.")
    offset: int = Field(default=0, ge=0, description="Tables to skip, to read on after a cut.")


class DescribeTables(DatabaseArguments):
    """Arguments of describe_tables."""

    tables: Names = Field(min_length=1, max_length=MAX_DESCRIBED, description="Names of tables.")
    samples: bool = Field(default=True, description="Include example values and an estimate of the number of rows.")


class TableArguments(DatabaseArguments):
    """Arguments of a tool that uses one table."""

    table: str = Field(min_length=1, description="Name of the table.")


class Query(TableArguments):
    """Arguments of query."""

    filter: Filter = ""
    fields: Names = Field(default=[], description="Columns to return; all by default. Few columns give short answers.")
    related: Names = Field(default=[], description="Relations whose rows are returned inside each row.")
    related_limit: int = Field(default=10, ge=1, le=MAX_ROWS, description="Related rows for each row and relation.")
    order: Names = Field(default=[], description='For example ["total desc", "id"].')
    limit: int = Field(default=20, ge=1, le=MAX_ROWS, description="Most rows to return.")
    offset: int = Field(default=0, ge=0, description="Rows to skip: next_offset of the last answer.")
    count: bool = Field(default=False, description="Also count all matching rows.")


class Measure(BaseModel):
    """One aggregate."""

    model_config = ConfigDict(extra="forbid")
    function: Literal["count", "sum", "avg", "min", "max"]
    field: str = Field(default="*", description="A column; * with count for the number of rows.")


class Aggregate(TableArguments):
    """Arguments of aggregate."""

    measures: list[Measure] = Field(
        min_length=1, max_length=20, description="Results are named <function>_<field>, and count_all for count of *."
    )
    group: Names = Field(default=[], description="Columns to group by; none for a single result.")
    filter: Filter = ""
    having: str = Field(default="", description='A filter over the results, such as "COUNT(*) > 5".')
    order: Names = Field(default=[], description='Grouped columns and results, such as ["sum_total desc"].')
    limit: int = Field(default=50, ge=1, le=MAX_ROWS, description="Most groups to return.")
    offset: int = Field(default=0, ge=0, description="Groups to skip.")


class GetRecord(TableArguments):
    """Arguments of get_record."""

    id: Identifier
    fields: Names = Field(default=[], description="Columns to return; all by default.")
    related: Names = Field(default=[], description="Relations whose rows are returned inside the record.")
    text_from: int = Field(default=0, ge=0, description="First character of long texts, to read on after a cut.")


class WriteArguments(TableArguments):
    """Arguments of every write."""

    max_affected: int = Field(
        default=10,
        ge=1,
        le=MAX_WRITTEN,
        description="Refuse the write, and change nothing, when it concerns more rows.",
    )
    dry_run: bool = Field(default=False, description="Return what the write would return, and keep nothing.")


class CreateRecords(WriteArguments):
    """Arguments of create_records."""

    records: list[Record] = Field(min_length=1, max_length=MAX_WRITTEN, description="The new records.")


class UpdateRecords(WriteArguments):
    """Arguments of update_records."""

    records: list[Record] = Field(
        default=[], max_length=MAX_WRITTEN, description="Changed columns together with the primary key of each record."
    )
    filter: Filter = ""
    change: Record = Field(default={}, description="With filter: the columns to set in every matching record.")


class DeleteRecords(WriteArguments):
    """Arguments of delete_records."""

    ids: list[Identifier] = Field(default=[], max_length=MAX_WRITTEN, description="Primary keys of the records.")
    filter: Filter = ""


class CallFunction(DatabaseArguments):
    """Arguments of call_function."""

    name: str = Field(min_length=1, description="Name of the function or procedure.")
    arguments: dict[str, Any] = Field(default={}, description="Values by the name of the parameter.")


class CallScript(Arguments):
    """Arguments of call_script."""

    name: str = Field(min_length=1, description="Name of the script.")
    input: dict[str, Any] = Field(default={}, description="Values by the name of the input field.")
