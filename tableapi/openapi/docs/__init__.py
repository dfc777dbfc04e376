"""The page /api/docs, which shows the OpenAPI document and sends requests.

It loads nothing from other hosts.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from pathlib import Path

from tableapi.errors import NotFound
from tableapi.http.response import Reply

_MEDIA_TYPES = {
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
    path.name: (path.read_bytes(), _MEDIA_TYPES[path.suffix])
    for path in Path(__file__).parent.iterdir() if path.suffix in _MEDIA_TYPES
}  # fmt: skip


def page(name: str, mount: str, headers: Mapping[str, str]) -> Reply:
    """Return a file of the page; the page itself refers to its files and to the API below `mount`.

    Raises NotFound.
    """
    file = _FILES.get(name or "index.html")
    if file is None:
        raise NotFound("There is no such page.")
    body, content_type = file
    if mount and content_type.startswith("text/html"):
        body = body.replace(b'="/api/', b'="%s/api/' % html.escape(mount).encode())
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    if headers.get("if-none-match") == tag:
        return Reply(b"", 304, content_type, _HEADERS | {"ETag": tag})
    return Reply(body, 200, content_type, _HEADERS | {"ETag": tag})
