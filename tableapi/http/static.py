"""Serve the built front end from memory.

Files below /assets/ have a hash in their name, so browsers cache them indefinitely; everything else is revalidated. A
new build takes effect once it has written index.html and its compressed copy, which the build writes last.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tableapi.http.compression import weights
from tableapi.http.response import Response

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
# Component libraries set sizes with inline styles. Inline scripts are never allowed.
SOURCES: dict[str, tuple[str, ...]] = {
    "default-src": ("'self'",),
    "script-src": ("'self'",),
    "style-src": ("'self'", "'unsafe-inline'"),
    "img-src": ("'self'", "data:", "blob:"),
    "font-src": ("'self'", "data:"),
    "connect-src": ("'self'",),
    "frame-src": ("'self'",),
    "object-src": ("'none'",),
    "base-uri": ("'self'",),
    "form-action": ("'self'",),
    "frame-ancestors": ("'none'",),
}
# Types that the standard library does not know on every system.
MEDIA_TYPES = {".woff2": "font/woff2", ".woff": "font/woff"}
COMPRESSED = (".br", ".gz")
Edit = Callable[[bytes], bytes]


def page_headers(
    added: Mapping[str, tuple[str, ...]], payment_origins: tuple[str, ...], *, secure: bool
) -> dict[str, str]:
    """Return the headers for pages. `added` extends SOURCES by directive; `secure` adds HSTS."""
    sources = {name: (*values, *added.get(name, ())) for name, values in SOURCES.items()}
    payment = "".join(f' "{origin}"' for origin in payment_origins)
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {' '.join(values)}" for name, values in sources.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Permissions-Policy": f"camera=(), geolocation=(), microphone=(), payment=(self{payment})",
        "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    }
    return headers | ({"Strict-Transport-Security": "max-age=31536000; includeSubDomains"} if secure else {})


@dataclass(slots=True)
class File:
    """One file in memory. `encoded` holds its compressed copies by content coding."""

    plain: bytes
    content_type: str
    tag: str
    encoded: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> File:
        """Read a file and the compressed copies next to it. Raises OSError."""
        plain = path.read_bytes()
        media_type = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        if media_type.startswith("text/") or media_type in (
            "application/javascript",
            "application/json",
            "image/svg+xml",
        ):
            media_type += "; charset=utf-8"
        file = cls(plain, media_type, _tag(plain))
        for coding, suffix in zip(("br", "gzip"), COMPRESSED, strict=True):
            copy = path.with_name(path.name + suffix)
            if copy.is_file():
                file.encoded[coding] = copy.read_bytes()
        return file

    def with_content(self, plain: bytes) -> File:
        """Return a file of the same type with other content and without compressed copies."""
        return File(plain, self.content_type, _tag(plain))

    def respond(self, request_headers: Mapping[str, str], headers: Mapping[str, str], cache_control: str) -> Response:
        """Return the file in the best accepted coding, or 304 if the client's copy is current."""
        headers = {**headers, "ETag": self.tag, "Cache-Control": cache_control}
        if self.encoded:
            headers["Vary"] = "Accept-Encoding"
        if request_headers.get("if-none-match") == self.tag:
            return Response(b"", 304, self.content_type, headers)
        accepted = weights(request_headers.get("accept-encoding", ""))
        for coding, content in self.encoded.items():
            if accepted.get(coding):
                return Response(content, 200, self.content_type, headers | {"Content-Encoding": coding})
        return Response(self.plain, 200, self.content_type, headers)


class Static:
    """The files below a folder. An unknown path without a suffix is a route of the front end.

    Paths below /.well-known/ never are (RFC 8615): clients that look for metadata there take a page for the metadata.

    `edits` change the content of files by path when a build is read.
    """

    def __init__(self, folder: Path, headers: Mapping[str, str], edits: Mapping[str, Edit] | None = None) -> None:
        self._folder, self._headers, self._edits = folder, headers, edits or {}
        self._previous: dict[str, File] = {}  # from the previous build, for tabs that are still open
        self._version = self._current_version()
        self._files = self._read()

    def _read(self) -> dict[str, File]:
        paths = sorted(self._folder.rglob("*")) if self._folder.is_dir() else ()
        files = {
            "/" + path.relative_to(self._folder).as_posix(): File.read(path)
            for path in paths
            if path.is_file() and path.suffix not in (*COMPRESSED, ".map")
        }
        for name, edit in self._edits.items():
            if name in files:
                files[name] = files[name].with_content(edit(files[name].plain))
        return files

    def _current_version(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_stamp(self._folder / name) for name in ("index.html", "index.html.br"))

    def _reload(self) -> None:
        """Read a new build once its index.html exists."""
        version = self._current_version()
        if version == self._version or version[0] is None:
            return
        try:
            files = self._read()
        except OSError:  # the build is still being written; the next request tries again
            return
        if files.keys() != self._files.keys():
            self._previous = self._files
        self._files, self._version = files, version

    def _file(self, path: str) -> File | None:
        # An unknown asset may belong to a newer page served by another worker process.
        if path == "/index.html" or (path not in self._files and path.startswith("/assets/")):
            self._reload()
        return self._files.get(path) or (self._previous.get(path) if path.startswith("/assets/") else None)

    def respond(self, path: str, request_headers: Mapping[str, str]) -> Response | None:
        """Return the file at `path`, the page for a route of the front end, or None."""
        file = self._file(path)
        if file is None and "." not in path.rpartition("/")[2] and not path.startswith("/.well-known/"):
            path = "/index.html"
            file = self._file(path)
        if file is None:
            return None
        return file.respond(request_headers, self._headers, IMMUTABLE if path.startswith("/assets/") else REVALIDATE)


def with_members(members: Mapping[str, Any]) -> Edit:
    """Return an edit that replaces members of a JSON object and leaves other content unchanged."""

    def edit(content: bytes) -> bytes:
        try:
            stored = json.loads(content)
        except ValueError:
            return content
        return json.dumps({**stored, **members}).encode() if isinstance(stored, dict) else content

    return edit


def _tag(content: bytes) -> str:
    return f'"{hashlib.blake2b(content, digest_size=10).hexdigest()}"'


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
