"""/api/docs: a page to read and try the API. Its files are ours, nothing comes from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from tableapi.errors import NotFound
from tableapi.http.response import Reply

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
}
_FILES = {
    path.name: (path.read_bytes(), _KINDS[path.suffix])
    for path in Path(__file__).parent.iterdir() if path.suffix in _KINDS
}  # fmt: skip


def page(name: str, headers: Mapping[str, str]) -> Reply:
    """A file of the page. Raises NotFound."""
    found = _FILES.get(name or "index.html")
    if found is None:
        raise NotFound("There is no such page.")
    body, kind = found
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    if headers.get("if-none-match") == tag:
        return Reply(b"", 304, kind, _HEADERS | {"ETag": tag})
    return Reply(body, 200, kind, _HEADERS | {"ETag": tag})
