"""Split a CSV stream into blocks of whole records, without I/O."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from tableapi.errors import BadRequest
from tableapi.http.body import check_separator, not_csv

BLOCK_BYTES = 1_000_000
MAX_RECORD_BYTES = 8_000_000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records. first: the number of the first line in the file, counted from 1."""

    content: bytes
    first: int

    @property
    def lines(self) -> int:
        """The number of lines, including those inside quoted values."""
        return self.content.count(b"\n") + (not self.content.endswith(b"\n"))

    def records(self) -> list[Block]:
        records, begin, line, quotes = [], 0, self.first, 0
        at = 0
        while at < len(self.content):
            end = self.content.find(b"\n", at) + 1 or len(self.content)
            quotes += self.content.count(b'"', at, end)
            at = end
            if quotes % 2 == 0 or end == len(self.content):
                record = Block(self.content[begin:end], line)
                records.append(record)
                begin, line = end, line + record.lines
        return records


def joined(records: list[Block]) -> bytes:
    """Join records into one text; only the last record of a file may lack a line ending."""
    return b"".join(record.content for record in records)


async def blocks(parts: AsyncIterator[bytes]) -> AsyncIterator[Block]:
    """Yield blocks of about BLOCK_BYTES. The first block contains only the header.

    Raises:
        BadRequest: a record is longer than MAX_RECORD_BYTES, or a quote is not closed at the end.
    """
    waiting, line, header = b"", 1, False
    pending: list[bytes] = []
    size = 0
    async for part in parts:
        pending.append(part)
        size += len(part)
        if size < BLOCK_BYTES and header:
            continue
        waiting, pending, size = b"".join((waiting, *pending)), [], 0
        end = _end_of_last(waiting) if header else _end_of_first(waiting)
        if not end:
            if len(waiting) > MAX_RECORD_BYTES:
                message = f"The record at line {line} is too long, or a quote is not closed."
                raise BadRequest(message, reason="bad_csv", context={"line": line})
            continue
        block = Block(waiting[:end] if header else waiting[:end].removeprefix(_BOM), line)
        yield block
        line, header, waiting = line + block.lines, True, waiting[end:]
    rest = b"".join((waiting, *pending)).removeprefix(b"" if header else _BOM).rstrip(b"\r\n")
    for block in _rest(rest, line, header=header):
        yield block


def _rest(content: bytes, line: int, *, header: bool) -> Iterator[Block]:
    """Yield the remaining blocks at the end of a file."""
    if content.count(b'"') % 2:
        line = Block(content, line).records()[-1].first
        raise BadRequest(f"A quote that opens on line {line} is not closed.", reason="bad_csv", context={"line": line})
    if not header and (end := _end_of_first(content)):
        yield Block(content[:end], line)
        line, content = line + content[:end].count(b"\n"), content[end:]
    if content:
        yield Block(content, line)


def _end_of_first(content: bytes) -> int:
    """Return the offset at which the first record ends; 0 if it is incomplete."""
    end = content.find(b"\n") + 1
    while end and content.count(b'"', 0, end) % 2:
        end = content.find(b"\n", end) + 1
    return end


def _end_of_last(content: bytes) -> int:
    """Return the offset at which the last complete record ends; 0 if there is none."""
    end = content.rfind(b"\n") + 1
    quotes = content.count(b'"', 0, end)
    while end and quotes % 2:
        before = content.rfind(b"\n", 0, end - 1) + 1
        quotes -= content.count(b'"', before, end)
        end = before
    return end


def names_of(header: Block) -> list[str]:
    """Return the names in the header line.

    Raises:
        BadRequest: it is not a CSV line in UTF-8.
    """
    if (error := not_csv(header.content)) is not None:
        raise error
    try:
        text = header.content.decode()
        names = [name.strip() for name in next(csv.reader(io.StringIO(text, newline=""), strict=True))]
    except (UnicodeDecodeError, csv.Error, StopIteration):
        long = len(header.content) > csv.field_size_limit()
        why = "it has no line break in the first MB" if long else "send CSV in UTF-8, with the names in its first line"
        message = f"The header line of the CSV cannot be read: {why}."
        raise BadRequest(message, reason="bad_csv", context={"line": 1}) from None
    check_separator(names)
    return names
