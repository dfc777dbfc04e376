"""The built front end, held in memory: hashed files for ever, everything else asked for each time.

A new build is seen by its page: index.html and the compressed one beside it, which the build writes last.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tableapi.http.response import Reply

FOR_EVER = "public, max-age=31536000, immutable"
EACH_TIME = "no-cache"
# Inline styles are allowed because component libraries set sizes by them. Scripts never are.
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


def page_headers(
    added: Mapping[str, tuple[str, ...]], payment_origins: tuple[str, ...], *, secure: bool
) -> dict[str, str]:
    """Return the headers of pages. `added` extends SOURCES by directive; `secure` adds HSTS."""
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
    plain: bytes
    kind: str
    tag: str
    encoded: dict[str, bytes] = field(default_factory=dict)


class Static:
    """Files below a folder; any path that is no file is the app's, which has its own routes."""

    def __init__(self, folder: Path, headers: Mapping[str, str]) -> None:
        self._folder = folder
        self._files: dict[str, File] = {}
        self._before: dict[str, File] = {}
        self._mark = self._looked_at()
        self._headers = headers
        self._files = self._read()

    def _read(self) -> dict[str, File]:
        found = sorted(self._folder.rglob("*")) if self._folder.is_dir() else ()
        return {
            "/" + path.relative_to(self._folder).as_posix(): _file(path)
            for path in found
            if path.is_file() and path.suffix not in (".br", ".gz", ".map")
        }

    def _looked_at(self) -> tuple[tuple[int, int] | None, ...]:
        """What tells one build from the next."""
        return tuple(_stamp(self._folder / name) for name in ("index.html", "index.html.br"))

    def _follow(self) -> None:
        """Read a new build, once it has its page. The files of the one before stay, for the tabs that are open."""
        mark = self._looked_at()
        if mark == self._mark or mark[0] is None:
            return
        try:
            files = self._read()
        except OSError:  # The build is being written: the next request looks again.
            return
        if files.keys() != self._files.keys():
            self._before = self._files
        self._files, self._mark = files, mark

    def _file(self, path: str) -> File | None:
        # A file that is not known may be one of the new page, which another worker has served.
        if path == "/index.html" or (path not in self._files and path.startswith("/assets/")):
            self._follow()
        return self._files.get(path) or (self._before.get(path) if path.startswith("/assets/") else None)

    def reply(self, path: str, headers: Mapping[str, str]) -> Reply | None:
        """The file, the app's page for a path without a suffix, or None."""
        file = self._file(path)
        if file is None:
            if "." in path.rpartition("/")[2]:
                return None
            path = "/index.html"
            file = self._file(path)
            if file is None:
                return None
        made = dict(self._headers)
        made["ETag"] = file.tag
        made["Cache-Control"] = FOR_EVER if path.startswith("/assets/") else EACH_TIME
        if file.encoded:
            made["Vary"] = "Accept-Encoding"
        if headers.get("if-none-match") == file.tag:
            return Reply(b"", 304, file.kind, made)
        accepted = headers.get("accept-encoding", "")
        for name in ("br", "gzip"):
            if name in accepted and name in file.encoded:
                made["Content-Encoding"] = name
                return Reply(file.encoded[name], 200, file.kind, made)
        return Reply(file.plain, 200, file.kind, made)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _file(path: Path) -> File:
    plain = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in ("application/javascript", "application/json", "image/svg+xml"):
        kind += "; charset=utf-8"
    file = File(plain, kind, f'"{hashlib.blake2b(plain, digest_size=10).hexdigest()}"')
    for name, suffix in (("br", ".br"), ("gzip", ".gz")):
        encoded = path.with_name(path.name + suffix)
        if encoded.is_file():
            file.encoded[name] = encoded.read_bytes()
    return file
