"""Limit the size of tool results: truncate long texts and lists, and say how to get the rest."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from tableapi import exact_json
from tableapi.errors import BadRequest
from tableapi.schema.model import Table

MAX_BYTES = 16_000  # rows in one result
MAX_LIST_CHARS = 1_000  # per text in a list of rows
MAX_RECORD_CHARS = 8_000  # per text of a single record
MIN_CHARS = 100  # minimum to which texts are truncated in a row that is too large


def fitting(rows: Sequence[Any], max_bytes: int = MAX_BYTES) -> tuple[list[Any], list[str]]:
    """Return the first rows that fit, with long texts truncated, and the names of the truncated fields.

    At least one row is returned.

    Raises:
        BadRequest: a row is too large even with all its texts truncated.
    """
    kept: list[Any] = []
    fields: dict[str, None] = {}
    text = exact_json.dumps(rows)
    if len(text) <= max_bytes:  # nearly every result
        # Without escapes, a text is everything between two quotes.
        if b"\\" not in text and len(max(text.split(b'"'), key=len)) <= MAX_LIST_CHARS:
            return list(rows), []
        return [_shortened(row, fields) for row in rows], list(fields)
    size = 0
    for row in rows:
        names: dict[str, None] = {}
        short = _shortened(row, names)
        row_bytes = _bytes_of(short)
        if not kept and row_bytes > max_bytes:
            short = _cut(row, MIN_CHARS, "", names)
            row_bytes = _bytes_of(short)
            if row_bytes > max_bytes:
                raise too_large()
        size += row_bytes
        if kept and size > max_bytes:
            break
        kept.append(short)
        fields |= names
    return kept, list(fields)


def record(row: Any, start: int, max_bytes: int = MAX_BYTES) -> tuple[Any, dict[str, int]]:
    """Return one record with its texts from character `start`, and where each truncated text ends.

    Raises:
        BadRequest: the record is too large even with all its texts truncated.
    """
    chars = MAX_RECORD_CHARS
    while True:
        ends: dict[str, int] = {}
        short = _window(row, start, chars, ends)
        if len(exact_json.dumps(short)) <= max_bytes:
            return short, ends
        if chars <= MIN_CHARS:
            raise too_large()
        chars //= 2


def _bytes_of(row: Any) -> int:
    """Return the length of a row in a result, which contains the names once for all rows."""
    return len(exact_json.dumps(list(row.values()) if isinstance(row, dict) else row))


def columns_and_values(rows: Sequence[Any], table: Table | None = None) -> dict[str, Any]:
    """Return rows as one list of names and a list of values for each row, which is half as long.

    table: the table of the rows; the rows of its to-many relations have the same form inside the value. Rows with
    differing names, and values other than rows, are left unchanged.
    """
    first = rows[0] if rows else None
    if not isinstance(first, dict) or not first:
        return {"rows": list(rows)}
    names, keys = list(first), first.keys()
    for row in rows:
        if not isinstance(row, dict) or row.keys() != keys:
            return {"rows": list(rows)}
    values: list[Any] = (
        [[row[names[0]]] for row in rows] if len(names) == 1 else list(map(list, map(itemgetter(*names), rows)))
    )
    if table is not None and not keys <= table.columns.keys():
        for place, name in enumerate(names):
            if (target := _rows_of(table, name)) is not None:
                for row in values:
                    row[place] = columns_and_values(row[place], target) if isinstance(row[place], list) else row[place]
    return {"columns": names, "rows": values}


def _rows_of(table: Table, name: str) -> Table | None:
    """Return the target of a to-many relation; None for any other field."""
    relation = table.relations.get(name) if name not in table.columns else None
    return relation.target if relation is not None and relation.many else None


def too_large() -> BadRequest:
    """Build the error for a row that is too large for a result."""
    return BadRequest(
        "A single row is too large for a result. Name only the fields that you need in 'fields', and fewer relations.",
        reason="answer_too_large",
        context={"bytes": MAX_BYTES},
    )


def _shortened(row: Any, names: dict[str, None]) -> Any:
    """Return a row with long texts truncated; their paths are added to `names`."""
    return _cut(row, MAX_LIST_CHARS, "", names) if _has_long_text(row) else row


def _has_long_text(value: Any) -> bool:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,):
        if isinstance(part, str):
            if len(part) > MAX_LIST_CHARS:
                return True
        elif isinstance(part, dict | list) and _has_long_text(part):
            return True
    return False


def _cut(value: Any, chars: int, path: str, names: dict[str, None]) -> Any:
    """Truncate texts in a value to `chars` characters; their paths are added to `names`."""
    if isinstance(value, str) and len(value) > chars:
        names[path] = None
        return value[:chars] + "…"
    if isinstance(value, dict):
        return {name: _cut(part, chars, f"{path}.{name}" if path else name, names) for name, part in value.items()}
    return [_cut(part, chars, path, names) for part in value] if isinstance(value, list) else value


def _window(row: Any, start: int, chars: int, ends: dict[str, int]) -> Any:
    """Return a record with its own texts from `start`; related rows are truncated at the end."""
    if not isinstance(row, dict):
        return row
    record: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, str) and len(value) > start > 0:
            value = value[start:]
        if isinstance(value, str) and len(value) > chars:
            ends[name] = start + chars
            value = value[:chars] + "…"
        elif isinstance(value, dict | list):
            names: dict[str, None] = {}
            value = _cut(value, min(chars, MAX_LIST_CHARS), name, names)
            ends |= dict.fromkeys(names, MAX_LIST_CHARS)
        record[name] = value
    return record
