"""Decode the body of a request: JSON or CSV for tables, a JSON object for scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sized
from typing import Any

import orjson

from tableapi import exact_json, threads
from tableapi.errors import BadRequest, DuplicateField, TooLarge, UnsupportedMedia
from tableapi.http.request import HttpRequest

MAX_FIELDS = 1000  # of the input of a script or tool: each unknown one is checked and named
_NUL = (b"\\u0000", b"\0")


async def table_body(request: HttpRequest, limit: int) -> Any:
    """Read the body of a table request and decode it, a large one in a thread. See `parse_body`."""
    try:
        raw = await request.body(limit)
    except TooLarge as error:
        error.message += " Send it in parts, import a CSV with ?import=true, or raise BODY_BYTES."
        raise
    content_type = request.headers.get("content-type", "")
    if len(raw) < threads.MIN_BYTES:  # one call less for most writes
        return parse_body(content_type, raw, limit)
    return await threads.body(len(raw), parse_body, content_type, raw, limit)


async def object_body(request: HttpRequest, limit: int) -> dict[str, Any]:
    """Read the body of a script call and decode it, a large one in a thread. See `parse_object`."""
    raw = await request.body(limit)
    content_type = request.headers.get("content-type", "")
    if len(raw) < threads.MIN_BYTES:
        return parse_object(content_type, raw)
    return await threads.body(len(raw), parse_object, content_type, raw)


def parse_body(content_type: str, raw: bytes, limit: int = 1_000_000) -> Any:
    """Return the body of a table request: JSON as data, CSV as records, None for an empty body.

    Raises BadRequest, DuplicateField, TooLarge (413) or UnsupportedMedia (415).
    """
    if len(raw) > limit:
        raise TooLarge.of(limit)
    if not raw.strip():
        return None
    media_type = content_type.split(";")[0].strip().lower()
    if media_type in ("text/csv", "application/csv"):
        return _csv(raw)
    if (
        media_type
        and media_type not in ("application/json", "text/json", "text/plain")
        and not media_type.endswith("+json")
    ):
        raise UnsupportedMedia(
            f"Content type '{media_type[:80]}' is not supported. Send application/json or text/csv.{advice(media_type)}"
        )
    try:
        return exact_json.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _bad_json(error) from None


_SHEETS = ("spreadsheet", "ms-excel", "zip")


def advice(media_type: str) -> str:
    """Return how to send a file of another kind, or ""."""
    if media_type == "multipart/form-data":
        return " Send the file as the body: curl --data-binary @file.csv."
    return " Save the sheet as CSV." if any(word in media_type for word in _SHEETS) else ""


def not_csv(raw: bytes) -> BadRequest | None:
    """Return the error for another format or encoding at the beginning of a file, or None."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return BadRequest("The file is in UTF-16. Save it as CSV in UTF-8.", reason="bad_encoding")
    if raw.startswith(b"PK\x03\x04"):
        return BadRequest("The file is a workbook or a zip archive. Save the sheet as CSV.", reason="bad_csv")
    return None


def check_separator(header: list[str]) -> None:
    """Reject a header of one name that contains semicolons or tabs, which then separate the cells.

    Raises:
        BadRequest: `bad_csv`.
    """
    for sign, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            message = f"The cells are separated by {word}; a CSV needs commas. Save it with commas."
            raise BadRequest(message, reason="bad_csv", context={"line": 1})


def parse_object(content_type: str, raw: bytes, loads: Callable[[bytes], Any] = orjson.loads) -> dict[str, Any]:
    """Return the body of a script call: a JSON object; an empty body is an empty object.

    loads: a JSON parser; `exact_json.loads` keeps every digit of numbers. Raises BadRequest or UnsupportedMedia (415).
    """
    if not raw.strip():
        return {}
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type and media_type != "application/json" and not media_type.endswith("+json"):
        raise UnsupportedMedia("Send JSON: Content-Type: application/json.")
    try:
        data = loads(raw)
    except orjson.JSONDecodeError as error:
        raise _bad_json(error) from None
    if not isinstance(data, dict):
        raise BadRequest("The body must be a JSON object.", reason="bad_json")
    if any(mark in raw for mark in _NUL) and _has_nul(data):
        raise BadRequest("Text must not contain a NUL character.", reason="bad_value")
    few_fields(data)
    return data


def few_fields(sent: Sized) -> None:
    """Raise BadRequest for more fields than any script or tool has."""
    if len(sent) > MAX_FIELDS:
        raise BadRequest(f"This has {len(sent)} fields. Send at most {MAX_FIELDS}.", reason="too_many_fields")


def _bad_json(error: orjson.JSONDecodeError) -> BadRequest:
    if error.msg.startswith("str is not valid UTF-8"):
        return BadRequest("The body is not valid UTF-8. Send JSON in UTF-8.", reason="bad_json")
    double = " Write names and texts in double quotes." if error.msg.endswith("expected a string key") else ""
    message = f"The body is not valid JSON: {error.msg} at position {error.pos}.{double}"
    return BadRequest(message, reason="bad_json", context={"position": error.pos})


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))


def _csv(raw: bytes) -> list[dict[str, Any]]:
    if (error := not_csv(raw)) is not None:
        raise error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as at:
        line = raw.count(b"\n", 0, at.start) + 1
        message = f"Line {line} of the CSV is not valid UTF-8. Save the file in UTF-8."
        raise BadRequest(message, reason="bad_encoding", context={"line": line}) from None
    if "\x00" in text:
        raise BadRequest("The CSV contains a NUL character.", reason="bad_csv")
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = [name.strip() for name in next(rows)]
        check_separator(header)
        if duplicate := next((name for name in header if name and header.count(name) > 1), ""):
            raise DuplicateField(duplicate)
        return [_cells(header, row, rows.line_num) for row in rows if row]
    except (csv.Error, StopIteration) as error:
        told = "a quote is not closed" if str(error) == "unexpected end of data" else str(error)
        raise BadRequest(f"The CSV cannot be read: {told}.", reason="bad_csv") from None


def _cells(header: list[str], row: list[str], line: int) -> dict[str, str | None]:
    """Return a line of CSV as a record. CSV has no NULL, so an empty cell means NULL."""
    if any(row[len(header) :]):
        message = f"Line {line} of the CSV has {len(row)} values, but the header has {len(header)} names."
        raise BadRequest(message, reason="bad_csv", context={"line": line})
    return {name: exact_json.Cell(value) if value else None for name, value in zip(header, row, strict=False)}


def records(body: Any, limit: int) -> list[dict[str, Any]] | None:
    """Return a body's records: {"resource": [...]}, {"resource": {...}} or [...]; None without any.

    Raises BadRequest for records that are not objects, TooLarge for more than `limit` of them.
    """
    rows = body.get("resource") if isinstance(body, dict) else body
    if isinstance(rows, dict):
        rows = [rows]
    if not rows:
        return None
    if isinstance(rows, list) and len(rows) > limit:
        raise TooLarge(f"The request has more than {limit} records. Send them in parts.", reason="batch_too_large")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRequest("The records must be objects, in a list or under 'resource'.", reason="bad_records")
    return rows
