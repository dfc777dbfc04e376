"""The page /api/docs, which shows the OpenAPI document and sends requests.

It loads nothing from other hosts.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from pathlib import Path

from tableapi.errors import NotFound
from tableapi.http.response import Response

_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".json": "application/json",
}
# A project's folder may add or replace theme.css, logo.svg, fonts and reference.json, but not pages or scripts.
_OF_PROJECT = (".css", ".svg", ".woff2")
_REFERENCE = "reference.json"  # groups, titles and examples of the project's calls; guide.js documents the format
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
}


class DocsPage:
    """The files of the page.

    `look` is a folder of a project with its theme.css, logo.svg, fonts and reference.json, or None.
    """

    def __init__(self, look: Path | None) -> None:
        files = {path.name: path for path in Path(__file__).parent.iterdir() if path.suffix in _MEDIA_TYPES}
        if look is not None:
            own = (path for path in look.iterdir() if path.suffix in _OF_PROJECT or path.name == _REFERENCE)
            files |= {path.name: path for path in own}
        self._files = {name: (path.read_bytes(), _MEDIA_TYPES[path.suffix]) for name, path in files.items()}

    def respond(self, name: str, mount: str, headers: Mapping[str, str]) -> Response:
        """Return a file of the page; the page refers to its files and to the API below `mount`.

        Raises NotFound.
        """
        file = self._files.get(name or "index.html")
        if file is None:
            raise NotFound("There is no such page.")
        body, content_type = file
        if mount and content_type.startswith("text/html"):
            body = body.replace(b'="/api/', b'="%s/api/' % html.escape(mount).encode())
        tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
        if headers.get("if-none-match") == tag:
            return Response(b"", 304, content_type, _HEADERS | {"ETag": tag})
        # Mails use the typeface, and programs that show them load fonts as another origin.
        shared = {"Access-Control-Allow-Origin": "*"} if content_type == _MEDIA_TYPES[".woff2"] else {}
        return Response(body, 200, content_type, _HEADERS | {"ETag": tag} | shared)
