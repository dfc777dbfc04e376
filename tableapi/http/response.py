"""What goes back: bytes of PostgreSQL into the envelope, lists, errors. Makes no decision about the content."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from tableapi import exact_json
from tableapi.errors import ApiError

JSON = "application/json; charset=utf-8"


@dataclass(slots=True)
class Reply:
    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def dumps(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=exact_json.plain)


def listed(array: bytes | None, meta: bytes | None = None, *, wrap: bool = True) -> bytes:
    """The envelope of a list. With `meta` the wrapper stays whatever `wrap` says (table-api §3)."""
    rows = array or b"[]"
    if meta:
        return b"".join((b'{"resource":', rows, b',"meta":', meta, b"}"))
    return b"".join((b'{"resource":', rows, b"}")) if wrap else rows  # one copy; each + would be another


_NOT_IN_NAME = re.compile(r"[^\w.() -]+")


def attachment(name: str) -> dict[str, str]:
    plain = _NOT_IN_NAME.sub("_", name)[:100] or "download"
    return {
        "Content-Disposition": f'attachment; filename="{plain.encode("ascii", "replace").decode().replace("?", "_")}"'
    }


def refused(error: ApiError, request_id: str = "") -> Reply:
    body = {"error": error.body(request_id), **error.extra}
    return Reply(dumps(body), error.status, JSON, dict(error.headers))
