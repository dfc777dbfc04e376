"""What goes back: bytes of PostgreSQL into the envelope, lists, CSV, errors. Makes no decision about the content."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from tableapi.errors import ApiError
from tableapi.request import Options

JSON = "application/json; charset=utf-8"
CSV = "text/csv; charset=utf-8"


@dataclass(slots=True)
class Reply:
    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def dumps(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str)


def listed(array: bytes | None, meta: bytes | None = None, *, wrap: bool = True) -> bytes:
    """The envelope of a list. With `meta` the wrapper stays whatever `wrap` says (table-api §3)."""
    rows = array or b"[]"
    if meta:
        return b"".join((b'{"resource":', rows, b',"meta":', meta, b"}"))
    return b"".join((b'{"resource":', rows, b"}")) if wrap else rows  # one copy; each + would be another


def wants_csv(options: Options, headers: Mapping[str, str]) -> str | None:
    """The name of the download ("" without one) when the answer shall be CSV, else None."""
    if options.file:
        if options.file.lower().endswith(".csv"):
            return options.file
        return None
    accept = options.accept or headers.get("accept", "")
    return "" if accept.split(";")[0].split(",")[0].strip().lower() in ("csv", "text/csv") else None


_NOT_IN_NAME = re.compile(r"[^\w.() -]+")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[\d\s.,eE()+-]+\Z")


def attachment(name: str) -> dict[str, str]:
    plain = _NOT_IN_NAME.sub("_", name)[:100] or "download"
    return {
        "Content-Disposition": f'attachment; filename="{plain.encode("ascii", "replace").decode().replace("?", "_")}"'
    }


def as_csv(rows: list[dict[str, Any]], names: list[str], *, safe: bool) -> bytes:
    """Header line, quotes where needed, nested values as JSON. `safe`: a cell that a spreadsheet would run as a
    formula gets a leading apostrophe, unless it is a number or phone number (safe-contract §5)."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    head = names or list(dict.fromkeys(key for row in rows for key in row))
    writer.writerow(head)
    for row in rows:
        writer.writerow([_cell(row.get(name), safe) for name in head])
    return out.getvalue().encode()


def _cell(value: Any, safe: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return orjson.dumps(value).decode()
    text = str(value)
    if safe and isinstance(value, str) and text.startswith(_FORMULA) and not _NUMBER.match(text):
        return "'" + text
    return text


def refused(error: ApiError, request_id: str = "") -> Reply:
    body = {"error": error.body(request_id), **error.extra}
    return Reply(dumps(body), error.http_status, JSON, dict(error.headers))
