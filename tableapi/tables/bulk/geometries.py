"""Replace GeoJSON in records of CSV by what COPY reads.

That is the binary form of PostGIS, as hexadecimal text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import sqlalchemy as sa

from tableapi.query.statement import bad_value
from tableapi.schema.model import Table
from tableapi.schema.pgtypes import BadValue, PgType
from tableapi.schema.sqltypes import DIALECT, Named, bind_list, element
from tableapi.schema.types import stored
from tableapi.tables.bulk.lines import Block

Report = Callable[[int, Exception, str], None]
_COMMA = re.compile(",")


@dataclass(slots=True)
class _GeoCell:
    """A geometry in the cells of a record. sent: as GeoJSON that was checked."""

    record: int
    place: int
    sent: str


class Geometries:
    """Convert the cells of geometry columns that hold GeoJSON.

    report: called with the line, the error and the column of a record that is left out.
    """

    def __init__(self, table: Table, columns: list[str], report: Report) -> None:
        types = {place: table.columns[name].type for place, name in enumerate(columns)}
        self._types: Mapping[int, PgType] = {
            place: type_ for place, type_ in types.items() if type_.kind in ("geometry", "geography")
        }
        self._columns, self._report = columns, report

    def concern(self, content: bytes) -> bool:
        """Return whether records may hold GeoJSON for a geometry column."""
        return bool(self._types) and b"{" in content

    async def convert(self, connection: Any, records: list[Block]) -> list[Block]:
        """Return the records with converted cells, without those that cannot be converted."""
        rows: dict[int, list[str]] = {}
        cells: dict[int, list[_GeoCell]] = {place: [] for place in self._types}
        bad: dict[int, tuple[Exception, int]] = {}
        for number, record in enumerate(records):
            row = cells_of(record)
            if len(row) != len(self._columns):  # COPY reports it
                continue
            try:
                for place, type_ in self._types.items():
                    if (value := value_of(row[place])).lstrip().startswith("{"):
                        rows[number] = row
                        cells[place].append(_GeoCell(number, place, stored(type_, value)))
            except BadValue as error:
                bad[number] = bad_value(self._columns[place], error), place
        for place, type_ in self._types.items():
            await self._replace(connection, _statement(type_), cells[place], rows, bad)
        for number, (refusal, place) in sorted(bad.items()):
            self._report(records[number].first, refusal, self._columns[place])
        return [
            Block((",".join(rows[number]) + "\n").encode(), record.first) if number in rows else record
            for number, record in enumerate(records)
            if number not in bad
        ]

    async def _replace(
        self, connection: Any, sql: str, cells: list[_GeoCell], rows: dict[int, list[str]], bad: dict[int, Any]
    ) -> None:
        """Replace cells of one column by what PostGIS makes of them.

        Those that it refuses are found by halves.
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
            rows[cell.record][cell.place] = value


def _statement(type_: PgType) -> str:
    """Return the statement that converts a list of GeoJSON texts, in their order."""
    array, own = bind_list(type_, "shapes")
    sent = sa.func.unnest(array).table_valued(sa.column("shape", own), with_ordinality="place").render_derived("sent")
    value = sa.cast(element(type_, sent.c.shape), Named("text"))
    return str(sa.select(value).order_by(sent.c.place).compile(dialect=DIALECT))


def cells_of(record: Block) -> list[str]:
    """Return the cells of a record as they are in the file, quotes included; none when it is no text."""
    try:
        text = record.content.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        return []
    ends, at = [], 0
    for number, part in enumerate(text.split('"')):
        if number % 2 == 0:  # outside of quotes
            ends += [at + comma.start() for comma in _COMMA.finditer(part)]
        at += len(part) + 1
    starts = [0, *(end + 1 for end in ends)]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]


def value_of(cell: str) -> str:
    """Return the value of a cell in quotes; other cells as they are."""
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if quoted else cell
