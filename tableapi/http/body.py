"""The body of a request -> plain data, and its records."""

from __future__ import annotations

import csv
import io
from typing import Any

import orjson

from tableapi import exact_json
from tableapi.errors import BadRequest, DuplicateField, TooLarge, UnsupportedMedia


def parse_body(content_type: str, raw: bytes, limit: int = 1_000_000) -> Any:
    """The body as plain data: JSON, CSV as a list of records, or None when there is none."""
    if len(raw) > limit:
        raise TooLarge.of(limit)
    if not raw.strip():
        return None
    kind = content_type.split(";")[0].strip().lower()
    if kind in ("text/csv", "application/csv"):
        return _csv(raw)
    if kind and kind not in ("application/json", "text/json", "text/plain") and not kind.endswith("+json"):
        raise UnsupportedMedia(f"Content type '{kind[:80]}' is not supported. Send application/json or text/csv.")
    try:
        return exact_json.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest(
            f"The body is not valid JSON: {error.msg} at position {error.pos}.",
            reason="bad_json",
            context={"position": error.pos},
        ) from None


def _csv(raw: bytes) -> list[dict[str, Any]]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest("The CSV is not valid UTF-8.", reason="bad_encoding") from None
    if "\x00" in text:
        raise BadRequest("The CSV holds a NUL character.", reason="bad_csv")
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        head = [name.strip() for name in next(rows)]
        if twice := next((name for name in head if name and head.count(name) > 1), ""):
            raise DuplicateField(twice)
        # An empty cell is a missing value: CSV has no other way to say so.
        return [{k: (v if v != "" else None) for k, v in zip(head, row, strict=False)} for row in rows if row]
    except (csv.Error, StopIteration) as error:
        raise BadRequest(f"The CSV cannot be read: {error}.", reason="bad_csv") from None


def records(body: Any, most: int) -> list[dict[str, Any]] | None:
    """The records of a list request: {"resource": [...]}, {"resource": {...}} or [...]; None when there are none."""
    found = body.get("resource") if isinstance(body, dict) else body
    if isinstance(found, dict):
        found = [found]
    if not found:
        return None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadRequest("The records must be objects, in a list or under 'resource'.", reason="bad_records")
    if len(found) > most:
        raise TooLarge(f"More than {most} records in one request. Send them in parts.", reason="batch_too_large")
    return found
