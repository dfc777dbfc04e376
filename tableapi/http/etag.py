"""Versions of records: ETag, If-None-Match and If-Match (safe-contract G13)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from typing import Any

import orjson

from tableapi.errors import Stale

MAX_LIST_BYTES = 65_536


def etag(mark: str, body: bytes) -> str:
    """The version of a row; with relations also of their content, which the row's own version does not know."""
    return f'"{mark}.{zlib.crc32(body):x}"' if body else f'"{mark}"'


def headers(mark: str) -> dict[str, str]:
    """What tells the version of a row that was written; nothing where there is none to tell."""
    return {"ETag": etag(mark, b"")} if mark else {}


def of_list(body: bytes, meta: Mapping[str, Any]) -> str:
    """The version of a list: of its content as PostgreSQL gave it, before sealed values are turned into what the caller
    gets, which differs each time. Empty for a long list, whose reader would rather have it sooner."""
    if len(body) > MAX_LIST_BYTES:
        return ""
    digest = hashlib.sha1(body, usedforsecurity=False)
    if meta:
        digest.update(orjson.dumps(meta))
    return f'W/"{digest.hexdigest()}"'


def matches(headers: Mapping[str, str], tag: str) -> bool:
    """Whether the client has this version already, by `If-None-Match`."""
    given = headers.get("if-none-match", "")
    return tag in given or given.strip() == "*"


def if_match(headers: Mapping[str, str]) -> str:
    """The versions that `If-Match` names, with a blank between; empty when any is good."""
    tags = [tag.strip() for tag in headers.get("if-match", "").split(",")]
    if tags in ([""], ["*"]):
        return ""
    return " ".join(tag.removeprefix("W/").strip('"').partition(".")[0] or "-" for tag in tags)


def precondition_failed() -> Stale:
    return Stale("The record was changed by somebody else. Read it again, then repeat your change.")
