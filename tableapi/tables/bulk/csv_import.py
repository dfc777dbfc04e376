"""Stream a CSV file into a table with COPY, keeping one block of it in memory.

The import is one transaction, and each block a savepoint. If PostgreSQL rejects a line, the line is dropped and the
rest of the block is sent again. In this way all bad lines are found and reported by number.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tableapi.auth.rights import Right
from tableapi.db import sqlstates
from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import RETRY, BadRequest, Busy, DuplicateField, Forbidden
from tableapi.http.response import Response, dumps
from tableapi.query.dml import conditions
from tableapi.query.spelling import MAX_LISTED, choices, unknown_field
from tableapi.query.statement import quoted
from tableapi.schema.model import Table
from tableapi.tables import errors
from tableapi.tables.bulk import lines
from tableapi.tables.bulk.cells import Cells
from tableapi.tables.bulk.lines import Block
from tableapi.tables.request import TableRequest

MAX_BAD_LINES = 100
PIECE_BYTES = 262_144
MAX_IMPORTS = 2  # concurrent imports per worker, since each holds a connection
PREFERENCES = ("tx", "max-affected", "handling")  # preferences that affect an import
OPTIONS = frozenset(("import", "dry_run", "continue", "max_affected", "method"))
_PLACE = re.compile(r"COPY .*?, line (\d+)(?:, column ([^:]+)(?:: \"(.*)\")?)?", re.DOTALL)
_END_MARK = re.compile(rb"^\\\.\r?$", re.MULTILINE)
_MALFORMED = "The number of values differs from the number of names in the header, or a quote is misplaced."
_running = 0


@dataclass(slots=True)
class _Import:
    """One import. bad: the errors found in lines, in any order."""

    call: TableRequest
    connection: Any
    columns: list[str]
    created: int = 0
    bad: list[dict[str, Any]] = field(default_factory=list)
    cells: Cells = field(init=False)

    def __post_init__(self) -> None:
        self.cells = Cells(self.call.table, self.columns, self._report)

    async def add(self, block: Block) -> None:
        """Write the records of a block, skipping bad lines."""
        records: list[Block] = []
        content, strings = block.content, False
        if self.cells.concern(content):
            records = await self.cells.convert(self.connection, block.records())
            content = lines.joined(records)
        while content.strip():
            if (fault := _fault(content)) is not None:
                records = records or block.records()
                content = self._without(records, _record_at(records, fault[0]), fault[1])
                continue
            try:
                async with self.connection.transaction():
                    self.created += await self._copy(content)
                return
            except asyncpg.PostgresError as error:
                _raise_unless_rejected(error)
                records = records or block.records()
                match = _PLACE.search(str(error.context or ""))
                if match is not None and not strings and self.cells.is_json(match[2] or ""):
                    records, strings = self.cells.with_strings(records), True
                    content = lines.joined(records)
                    continue
                # PostgreSQL and this module may count such lines differently
                if match is None or any(record.lines > 1 for record in records):
                    await self._halves(records, error)
                    return
                content = self._without(records, int(match[1]) - 1, error)

    async def _copy(self, content: bytes) -> int:
        table = self.call.table
        status = await self.connection.copy_to_table(
            table.bare, schema_name=table.schema, columns=self.columns, source=_pieces(content), format="csv",
            force_null=self.columns, encoding="utf8",
        )  # fmt: skip
        return int(status.split()[-1])

    async def _halves(self, records: list[Block], error: asyncpg.PostgresError) -> None:
        """Find bad records by bisection, for an error without a line number, such as a broken reference."""
        if len(records) == 1:
            self._report(records[0].first, error)
            return
        middle = len(records) // 2
        for half in (records[:middle], records[middle:]):
            try:
                async with self.connection.transaction():
                    self.created += await self._copy(lines.joined(half))
            except asyncpg.PostgresError as fault:
                _raise_unless_rejected(fault)
                await self._halves(half, fault)

    def _without(self, records: list[Block], place: int, error: Exception) -> bytes:
        """Report a record, remove it, and return the rest."""
        self._report(records.pop(min(place, len(records) - 1)).first, error)
        return lines.joined(records)

    def _report(self, line: int, error: Exception, name: str = "") -> None:
        if isinstance(error, asyncpg.BadCopyFileFormatError):
            error = BadRequest(_malformed(str(error)), reason="bad_csv")
        api_error = to_api_error(errors.violated(self.call, error))
        assert api_error is not None
        if isinstance(error, asyncpg.FeatureNotSupportedError):
            raise _unchecked("PostgreSQL checks each of its new rows")
        if api_error.status in (403, 503):  # it concerns the table rather than the line
            raise api_error
        entry = {"line": line, "reason": api_error.reason, "message": api_error.message}
        match = _PLACE.search(str(getattr(error, "context", None) or ""))
        name = name or (match[2] if match is not None else "")
        if match is not None and name in self.columns and api_error.message == sqlstates.VALUE.message:
            type_ = self.call.table.columns[name].type
            entry["message"] = f"Field '{name}': {quoted(match[3] or '')} does not fit {type_.db_type}."
        self.bad.append(entry | ({"field": name} if name in self.columns else {}))
        if len(self.bad) >= MAX_BAD_LINES:
            raise self.bad_lines()

    def errors(self) -> list[dict[str, Any]]:
        """Return the bad lines in file order."""
        return sorted(self.bad, key=lambda entry: int(entry["line"]))

    def bad_lines(self) -> BadRequest:
        """Build the error for the whole file, listing its bad lines."""
        bad = self.errors()
        count = f"{MAX_BAD_LINES} or more" if len(bad) >= MAX_BAD_LINES else len(bad)
        return BadRequest(
            f"{count} {'line' if len(bad) == 1 else 'lines'} of the file cannot be imported; the first is line "
            f"{bad[0]['line']}: {bad[0]['message']} Nothing was imported.",
            reason="bad_lines", context={"errors": bad},
        )  # fmt: skip


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    """Yield the content in pieces, because asyncpg would keep a file-like source in a reference cycle."""
    for at in range(0, len(content), PIECE_BYTES):
        yield content[at : at + PIECE_BYTES]


def _malformed(message: str) -> str:
    """Build the message for a malformed line from PostgreSQL's message."""
    if message.startswith("extra data"):
        return "It has more values than the header has names."
    return "It has fewer values than the header has names." if message.startswith("missing data") else _MALFORMED


def _raise_unless_rejected(error: asyncpg.PostgresError) -> None:
    """Re-raise an error that is not about a line."""
    if isinstance(error, RETRYABLE) or to_api_error(error) is None:
        raise error


def _fault(content: bytes) -> tuple[int, BadRequest] | None:
    """Find a line that COPY cannot report: its number, counted from 1, and its error."""
    message = ""
    at = content.find(b"\0")
    if at >= 0:
        message = "The line contains a NUL character."
    elif b"\\." in content and (match := _END_MARK.search(content)) is not None:
        at, message = match.start(), "The line is the end-of-data marker of COPY. Put the value in quotes."
    else:
        try:
            content.decode()
        except UnicodeDecodeError as error:
            at, message = error.start, "The line is not valid UTF-8."
    if not message:
        return None
    return content.count(b"\n", 0, at) + 1, BadRequest(message, reason="bad_csv")


def _record_at(records: list[Block], line: int) -> int:
    """Return the index of the record that contains a line of the joined records."""
    seen = 0
    for place, record in enumerate(records):
        seen += record.lines
        if seen >= line:
            return place
    return len(records) - 1


async def respond(call: TableRequest, parts: AsyncIterator[bytes]) -> Response:
    """Import a file, and respond with the number of created records and the bad lines.

    Raises:
        Forbidden: the caller may not create such records, or their rules cannot be checked by COPY.
        BadRequest: `bad_lines`, or a reason that concerns the options or the header line.
        Busy: too many imports are running in this worker process.
    """
    global _running
    right = _right(call)
    options = call.options()
    if _running >= MAX_IMPORTS:
        raise Busy("Too many imports are running. Try again in a moment.", headers=RETRY)
    _running += 1
    try:
        stream = lines.blocks(parts)
        names = [name async for name in _header(stream)]
        unknown = [name for name in names if call.table.find(name) is None]
        if unknown and await call.dataset.notice(call.table, unknown):
            call.table = await call.dataset.table(call.table.name)
            call.rights = call.dataset.rights(call.actor.role)
            right = _right(call)
        columns = _columns(call, right, names)
        async with call.dataset.db.writes.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            done = False
            try:
                run = _Import(call, connection, columns)
                async for block in stream:
                    await run.add(block)
                    errors.check_affected(options.max_affected, run.created)
                await connection.execute("set constraints all immediate")
                if run.bad and not options.go_on:
                    raise run.bad_lines()
                done = not options.dry_run
            finally:
                await (transaction.commit() if done else transaction.rollback())
    finally:
        _running -= 1
    headers = {"Dry-Run": "true"} if options.dry_run else {}
    return Response(dumps({"success": True, "created": run.created, "errors": run.errors()}), headers=headers)


async def _header(stream: AsyncIterator[Block]) -> AsyncIterator[str]:
    async for block in stream:
        for name in lines.names_of(block):
            yield name
        return
    raise BadRequest("The file is empty. Its first line must name the fields.", reason="no_records")


def _right(call: TableRequest) -> Right:
    """Return the right to create records of a table, provided that COPY can enforce it."""
    table, right = call.table, call.rights.right(call.table, "POST")
    if right is None:
        raise errors.no_right(call)
    for name in call.query:
        if name.lower() not in OPTIONS:
            raise BadRequest(f"Option '{name[:100]}' cannot be used with an import.", reason="bad_option",
                             context={"option": name[:100]})  # fmt: skip
    if "idempotency-key" in call.headers:
        raise BadRequest("Imports do not support Idempotency-Key. Use dry_run, or a unique field.", reason="bad_option",
                         context={"header": "Idempotency-Key"})  # fmt: skip
    if table.kind not in "rp" or table.rules:
        raise _unchecked(f"'{table.name}' is a view, or rules replace its writes")
    if call.dataset.hooked(table.name, "POST"):
        raise _unchecked(f"'{table.name}' has a hook for new records")
    if right.rows is not None or right.set_on_create:
        raise _unchecked(f"your role may create only some records of '{table.name}'")
    return right


def _columns(call: TableRequest, right: Right, names: list[str]) -> list[str]:
    """Return the columns named in a header line.

    Raises:
        UnknownField, DuplicateField, BadRequest: a name does not match a writable column.
        Forbidden: the caller may not write it.
    """
    columns: list[str] = []
    for name in names:
        column = call.table.find(name)
        if column is None or not (right.can_read(column.name) or right.can_write(column.name)):
            raise _unknown(call.table, right, names)
        if column.name in columns:
            raise DuplicateField(column.name)
        if not right.can_write(column.name):
            raise errors.unwritable({column.name: None})
        if column.name in right.sealed:
            raise BadRequest(
                f"Field '{column.name}' is encrypted and cannot be imported from a file.", reason="sealed_field"
            )
        if column.fixed:
            raise BadRequest(f"The database sets field '{column.name}'. Leave it out.", reason="generated")
        columns.append(column.name)
    if conditions.concern(call.table, right, call.rights, columns):
        raise _unchecked("the file refers to records that your role may see only in part")
    return columns


def _unknown(table: Table, right: Right, names: list[str]) -> BadRequest:
    """Build the error for a header line, with every name that is not a field."""
    unknown = [name for name in names if (column := table.find(name)) is None or not right.can_read(column.name)]
    error = unknown_field(unknown[0], table, right)
    if len(unknown) > 1:
        listed = ", ".join(f"'{name[:50]}'" for name in unknown[:MAX_LISTED])
        more = ", ..." if len(unknown) > MAX_LISTED else ""
        fields = choices("", [*filter(right.can_write, table.columns)], "Its fields")
        error.message = f"Table '{table.name}' has no fields {listed}{more}.{fields}"
    return error


def _unchecked(why: str) -> Forbidden:
    return Forbidden(
        f"This cannot be imported: {why}. Send the records with POST instead.", reason="import_not_permitted"
    )
