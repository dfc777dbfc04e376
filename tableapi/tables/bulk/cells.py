"""Replace CSV cells that COPY would read differently from the rest of the API.

These are GeoJSON, JSON for arrays and composites, and base64. Each is replaced by PostgreSQL's text form of its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import asyncpg
import sqlalchemy as sa

from tableapi import exact_json
from tableapi.exact_json import Cell
from tableapi.query.statement import UnfitValue
from tableapi.schema.model import Table
from tableapi.schema.pgtypes import BadValue, PgType
from tableapi.schema.sqltypes import DIALECT, Named, bind_list, element
from tableapi.schema.types import stored
from tableapi.tables.bulk.lines import Block

Report = Callable[[int, Exception, str], None]
_COMMA = re.compile(",")
# The beginning of a cell that has to be replaced, by column kind.
_BEGINS = {
    "geometry": re.compile(r"\s*\{"),
    "geography": re.compile(r"\s*\{"),
    "composite": re.compile(r"\s*[{\[]"),
    "array": re.compile(r"\s*\["),
    "bytea": re.compile(r"(?!\\x)."),
}


@dataclass(slots=True)
class _Nested:
    """A cell that PostgreSQL converts. sent: its JSON, after validation."""

    record: int
    place: int
    sent: str


class Cells:
    """Replace cells of the columns that need it.

    report: called with the line, the error and the column of each skipped record.
    """

    def __init__(self, table: Table, columns: list[str], report: Report) -> None:
        types = {place: table.columns[name].type for place, name in enumerate(columns)}
        self._types = {place: type_ for place, type_ in types.items() if type_.kind in _BEGINS}
        self._json = [place for place, type_ in types.items() if type_.kind == "json"]
        self._encoded = any(type_.kind == "bytea" for type_ in self._types.values())
        self._columns, self._report = columns, report

    def concern(self, content: bytes) -> bool:
        """Return whether the content may contain such cells."""
        return bool(self._types) and (self._encoded or b"{" in content or b"[" in content)

    async def convert(self, connection: Any, records: list[Block]) -> list[Block]:
        """Return the records with replaced cells, except those with cells that cannot be converted."""
        rows: dict[int, list[str]] = {}
        nested: dict[int, list[_Nested]] = {}
        bad: dict[int, tuple[Exception, int]] = {}
        for number, record in enumerate(records):
            row = cells_of(record)
            if len(row) != len(self._columns):  # COPY reports it
                continue
            try:
                for place, type_ in self._types.items():
                    value = value_of(row[place])
                    if _BEGINS[type_.kind].match(value):
                        rows[number] = row
                        sent = stored(type_, Cell(value))
                        if _has_text(type_):
                            row[place] = _quoted("\\x" + sent.hex() if isinstance(sent, bytes) else sent)
                        else:
                            nested.setdefault(place, []).append(_Nested(number, place, sent))
            except BadValue as error:
                bad[number] = UnfitValue(self._columns[place], error, value), place
        for place, cells in nested.items():
            await self._replace(connection, _statement(self._types[place]), cells, rows, bad)
        for number, (api_error, place) in sorted(bad.items()):
            self._report(records[number].first, api_error, self._columns[place])
        return [
            Block(",".join(rows[number]).encode() + _line_end(record), record.first) if number in rows else record
            for number, record in enumerate(records)
            if number not in bad
        ]

    def is_json(self, column: str) -> bool:
        return column in self._columns and self._columns.index(column) in self._json

    def with_strings(self, records: list[Block]) -> list[Block]:
        """Quote bare text in JSON columns as JSON strings, as exports write it.

        Text that begins like an object, an array or a string is taken as JSON and left unchanged.
        """
        replaced = []
        for record in records:
            row, changed = cells_of(record), False
            for place in self._json if len(row) == len(self._columns) else ():
                value = value_of(row[place])
                if value.strip() and value.lstrip()[0] not in '{["' and Cell(value).value() == value:
                    row[place], changed = _quoted(exact_json.dumps(value).decode()), True
            replaced.append(Block(",".join(row).encode() + _line_end(record), record.first) if changed else record)
        return replaced

    async def _replace(
        self, connection: Any, sql: str, cells: list[_Nested], rows: dict[int, list[str]], bad: dict[int, Any]
    ) -> None:
        """Replace cells of one column with the text form of their values.

        Cells that PostgreSQL rejects are found by bisection.
        """
        cells = [cell for cell in cells if cell.record not in bad]
        if not cells:
            return
        try:
            async with connection.transaction():
                values = await connection.fetch(sql, [cell.sent for cell in cells])
        except (asyncpg.DataError, asyncpg.InternalServerError) as error:
            if len(cells) == 1:
                bad[cells[0].record] = error, cells[0].place
                return
            middle = len(cells) // 2
            for half in (cells[:middle], cells[middle:]):
                await self._replace(connection, sql, half, rows, bad)
            return
        for cell, (value,) in zip(cells, values, strict=True):
            rows[cell.record][cell.place] = _quoted(value)


def _line_end(record: Block) -> bytes:
    """Return the line ending of a record; COPY rejects files with mixed line endings."""
    return record.content[len(record.content.rstrip(b"\r\n")) :]


def _has_text(type_: PgType) -> bool:
    """Return whether `stored` returns the value in a form that PostgreSQL reads."""
    return type_.kind == "bytea" or (type_.kind == "array" and not type_.of_composites)


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _statement(type_: PgType) -> str:
    """Return the statement that converts a list of JSON texts, keeping their order."""
    array, own = bind_list(type_, "cells")
    sent = sa.func.unnest(array).table_valued(sa.column("cell", own), with_ordinality="place").render_derived()
    value = sa.cast(element(type_, sent.c.cell), Named("text"))
    return str(sa.select(value).order_by(sent.c.place).compile(dialect=DIALECT))


def cells_of(record: Block) -> list[str]:
    """Return the cells of a record as they appear in the file, quotes included; [] if it is not UTF-8."""
    try:
        text = record.content.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        return []
    ends, at = [], 0
    for number, part in enumerate(text.split('"')):
        if number % 2 == 0:  # outside quotes
            ends += [at + comma.start() for comma in _COMMA.finditer(part)]
        at += len(part) + 1
    starts = [0, *(end + 1 for end in ends)]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]


def value_of(cell: str) -> str:
    """Return the value of a quoted cell; other cells unchanged."""
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if quoted else cell
